"""`python3 -m stickslip` is the command `stickslip`."""
import os
import sys

from ._page import command

if __name__ == "__main__":
    program = command()
    os.execv(program, ["stickslip", *sys.argv[1:]])
