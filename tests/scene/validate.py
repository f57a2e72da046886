"""Validates scenes against the JSON Schema: good ones must pass, broken ones of a kind a schema can see must not.

usage: validate.py SOURCE_FOLDER; exit 77: a module is missing.
"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as error:
    print(error)
    sys.exit(77)


class Loader(yaml.SafeLoader):
    """YAML 1.2: `on`, `yes` and `1_000` are texts, `1e-3` is a number."""


Loader.yaml_implicit_resolvers = {}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), "tf")
Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])
Loader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile(r"^<<$"), "<")
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?[0-9]+$"), "-+0123456789")
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"),
    "-+.0123456789",
)

# Broken scenes whose fault is one of structure.
VISIBLE = [
    "key_system", "key_element", "key_law", "key_force", "key_solver", "key_scheme", "key_simulation",
    "key_record", "key_plot", "key_missing", "key_missing_simulation", "key_missing_plot",
    "type_missing", "type_list", "type_system", "type_element", "type_law", "type_force", "type_solver",
    "type_scheme", "type_simulation", "section_unknown", "section_far_off", "systems_missing",
    "simulation_missing", "systems_list", "system_text", "system_nothing", "scene_is_list", "scene_is_text",
    "name_with_point", "name_with_digit", "parameter_list", "parameter_empty", "parameters_list",
    "solver_text", "laws_missing", "laws_list", "law_text", "law_beside_laws", "value_map", "value_list",
    "value_negative", "value_not_whole", "value_too_large", "value_choice", "value_bool", "list_empty",
    "list_of_maps", "list_hole", "step_negative", "end_zero", "tolerance_range", "restitution_range",
    "record_every_zero", "plot_name", "plot_modes", "include_map", "scene_name_list",
]


def read(path):
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def check(validator, good, broken):
    wrong = 0
    for path in good:
        for error in validator.iter_errors(read(path)):
            print(f"{path}: refused at {list(error.absolute_path)}: {error.message[:200]}")
            wrong += 1
    for path in broken:
        if validator.is_valid(read(path)):
            print(f"{path}: accepted")
            wrong += 1
    return wrong


def main():
    root = pathlib.Path(sys.argv[1])
    schema = json.loads((root / "schema/stickslip-scene.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    folders = ["scenes", "examples", "tests/scene/valid"]
    good = [path for folder in folders for path in sorted((root / folder).glob("*.yaml"))]
    broken = [root / "tests/scene/broken" / f"{name}.yaml" for name in VISIBLE]
    wrong = check(validator, good, broken)
    print(f"{len(good)} scenes, {len(broken)} broken ones, {wrong} wrong")
    return 1 if wrong or len(good) < 4 else 0


sys.exit(main())
