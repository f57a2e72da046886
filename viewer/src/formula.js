// Formulas as scenes write them (docs/scene.md), made into functions. resolve(name) gives what a name stands for: a number, or
// a function of whatever the formula is asked for; undefined when there is no such name.

const FUNCTIONS = {
  ...Object.fromEntries(["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs", "sign", "min", "max", "hypot", "floor", "ceil", "pow"].map((name) => [name, Math[name]])),
  step: (x) => (x >= 0 ? 1 : 0),
};
const TWO = ["atan2", "min", "max", "hypot", "pow"];
const CONSTANTS = { pi: Math.PI, inf: Infinity };

// The operators between two values, from those that bind loosest.
const LEVELS = [
  { "||": (a, b) => Number(a !== 0 || b !== 0) },
  { "&&": (a, b) => Number(a !== 0 && b !== 0) },
  {
    "<": (a, b) => Number(a < b),
    "<=": (a, b) => Number(a <= b),
    ">": (a, b) => Number(a > b),
    ">=": (a, b) => Number(a >= b),
    "==": (a, b) => Number(a === b),
    "!=": (a, b) => Number(a !== b),
  },
  { "+": (a, b) => a + b, "-": (a, b) => a - b },
  { "*": (a, b) => a * b, "/": (a, b) => a / b },
];

const TOKEN = /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_][\p{L}\p{N}_.]*'?)|(?<sign>[<>=!]=|&&|\|\||[-+*/^()<>!?:,]))/uy;

function* tokens(text) {
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new Error(`'${text}' has something at character ${at + 1} that is no formula`);
    yield found.groups;
    TOKEN.lastIndex = at + found[0].length;
  }
}

class Parser {
  constructor(text, resolve) {
    this.text = text;
    this.resolve = resolve;
    this.tokens = [...tokens(text)];
    this.at = 0;
  }

  fail(why) {
    throw new Error(`'${this.text}': ${why}`);
  }

  next(sign) {
    return this.tokens[this.at]?.sign === sign && ++this.at > 0;
  }

  want(sign) {
    if (!this.next(sign)) this.fail(`'${sign}' is missing`);
  }

  // A part of what it is made of: a number where all of that are numbers.
  build(operation, ...parts) {
    if (parts.every((part) => typeof part === "number")) return operation(...parts);
    const [a, b, c] = parts.map((part) => (typeof part === "number" ? () => part : part));
    if (!b) return (x) => operation(a(x));
    return c ? (x) => operation(a(x), b(x), c(x)) : (x) => operation(a(x), b(x));
  }

  choice() {
    const condition = this.binary(0);
    if (!this.next("?")) return condition;
    const yes = this.choice();
    this.want(":");
    return this.build((c, a, b) => (c !== 0 ? a : b), condition, yes, this.choice());
  }

  binary(level) {
    if (level === LEVELS.length) return this.unary();
    let left = this.binary(level + 1);
    for (;;) {
      const operation = LEVELS[level][this.tokens[this.at]?.sign];
      if (!operation) return left;
      this.at++;
      left = this.build(operation, left, this.binary(level + 1));
    }
  }

  unary() {
    if (this.next("-")) return this.build((a) => -a, this.unary());
    if (this.next("!")) return this.build((a) => Number(a === 0), this.unary());
    if (this.next("+")) return this.unary();
    const base = this.primary();
    return this.next("^") ? this.build(Math.pow, base, this.unary()) : base;
  }

  primary() {
    if (this.next("(")) {
      const inside = this.choice();
      this.want(")");
      return inside;
    }
    const { number, name } = this.tokens[this.at++] ?? {};
    if (number !== undefined) return Number(number);
    if (name === undefined) this.fail("a number, a name or '(' is missing");
    return this.next("(") ? this.call(name) : this.name(name);
  }

  call(name) {
    const operation = Object.hasOwn(FUNCTIONS, name) && FUNCTIONS[name];
    if (!operation) this.fail(`there is no function '${name}'`);
    const first = this.choice();
    const parts = [first];
    while (this.next(",")) parts.push(this.choice());
    this.want(")");
    if (parts.length !== (TWO.includes(name) ? 2 : 1)) this.fail(`'${name}' wants another number of arguments`);
    return this.build(operation, ...parts);
  }

  name(name) {
    const meaning = Object.hasOwn(CONSTANTS, name) ? CONSTANTS[name] : this.resolve(name);
    if (meaning === undefined) this.fail(`there is no '${name}'`);
    return meaning;
  }
}

// A number, or a function of what the functions of names take.
export function compile(text, resolve) {
  const parser = new Parser(text, resolve);
  const formula = parser.choice();
  if (parser.at < parser.tokens.length) parser.fail("an operator is missing");
  return formula;
}
