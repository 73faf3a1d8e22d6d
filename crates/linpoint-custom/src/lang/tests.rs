//! What scripts compute, and what is said about bad ones.

use super::{Machine, ScriptError, parse};

/// The text of the global variable `x` after the script.
fn run(source: &str) -> Result<String, String> {
    let error = |fault: Box<super::Fault>| ScriptError::new("m.star", source, &fault).to_string();
    let program = parse(source).map_err(error)?;
    let machine = Machine::new(&program, &[]).map_err(error)?;
    Ok(machine.global(&program, "x").map(|x| x.repr()).unwrap_or_default())
}

#[track_caller]
fn gives(source: &str, expected: &str) {
    assert_eq!(run(source).unwrap_or_else(|error| panic!("{error}")), expected, "{source}");
}

#[track_caller]
fn fails(source: &str, expected: &str) {
    let error = run(source).unwrap_err();
    assert!(error.contains(expected), "{error}");
}

#[test]
fn expressions() {
    gives("x = 1 + 2 * 3 - -4 // 3", "9");
    gives(
        "x = [7 // -2, -7 // 2, 7 % -2, -7 % 2, 1 << 4, 6 & 3, 6 | 3, 6 ^ 3]",
        "[-4, -4, -1, 1, 16, 2, 7, 5]",
    );
    gives("x = 1 if [] else 2 if 0 else 3", "3");
    gives("x = not 1 == 2 and 'a' not in 'bc' or fail()", "True");
    gives("x = [1, 2, 3][1:] + [4][::-1] + list('ab'[0])", "[2, 3, 4, \"a\"]");
    gives(
        "x = 'abcdef'[-2:] + 'abc'[::-1] + '%s=%d' % ('k', 3) + '{}{1}'.format(1, 2)",
        "\"efcbak=312\"",
    );
    gives("x = {'b': 1, 'a': [2]}", "{\"a\": [2], \"b\": 1}");
    gives("x = ((1,), (), (1, 2), {3, 1} | {2}, set())", "((1,), (), (1, 2), {1, 2, 3}, set())");
    gives(
        "x = (True == 1, None is None, 'a' is not None, 1 in range(0, 9, 2))",
        "(False, True, True, False)",
    );
    gives(
        "x = sorted([3, 1, 2], reverse=True) + [max(1, 5), min([4, 2]), sum([1, 2]), len('äb')]",
        "[3, 2, 1, 5, 2, 3, 2]",
    );
}

#[test]
fn statements() {
    gives(
        "x = 0\nfor i in range(10):\n    if i == 3: continue\n    if i > 5: break\n    x += i",
        "12",
    );
}

#[test]
fn functions() {
    gives(
        "def f(a, b=2):\n    return a * 10 + b\nx = [f(1), f(1, 3), f(b=4, a=2)]",
        "[12, 13, 24]",
    );
    gives("def f(xs):\n    xs.append(1)\ny = []\nf(y)\nx = y", "[1]");
    gives("def f(n):\n    while n > 10:\n        n -= 3\n    return n\nx = f(30)", "9");
    gives("def by(p):\n    return p[1]\nx = sorted([(1, 9), (2, 3)], key=by)", "[(2, 3), (1, 9)]");
    gives("def f():\n    pass\nx = f()", "None");
    gives("n = 3\ndef f():\n    return g() + n\ndef g():\n    return 1\nx = f()", "4");
}

#[test]
fn comprehensions_have_variables_of_their_own() {
    gives("i = 7\ny = [i * 2 for i in range(3) if i != 1]\nx = (i, y)", "(7, [0, 4])");
    gives("x = {k: v for k, v in [('a', 1), ('b', 2)]}", "{\"a\": 1, \"b\": 2}");
    gives("x = [(a, b) for a in [1, 2] for b in 'pq' if a == 2]", "[(2, \"p\"), (2, \"q\")]");
    gives("x = (all(n > 0 for n in [1, 2]), {n % 2 for n in [1, 2, 3]})", "(True, {0, 1})");
    fails("x = [i for i in range(3)]\ny = i", "2:5: `i` has no value yet");
}

#[test]
fn collections_are_shared_as_in_python() {
    gives("a = [1]\nb = a\nb += [2]\nb = b + [3]\nx = (a, b)", "([1, 2], [1, 2, 3])");
    gives(
        "d = {}\nd['k'] = 1\nd['k'] += 1\ne = d.copy()\ne.pop('k')\nx = (d, e, d.get('z', 5))",
        "({\"k\": 2}, {}, 5)",
    );
    gives("s = set([3])\ns.add(1)\ns.discard(9)\nx = [v for v in s]", "[1, 3]");
    gives(
        "l = [1, 2, 3]\ndel l[0]\nl.insert(0, 9)\nx = (l.pop(), l, l.index(2))",
        "(3, [9, 2], 1)",
    );
    gives("a, (b, c) = 1, [2, 3]\nx = (c, b, a)", "(3, 2, 1)");
}

#[test]
fn errors_point_into_the_script() {
    let error = run("x = 1\ny = x +\n").unwrap_err();
    let expected =
        "m.star:2:8: expected a value, not the end of the line\n  2 | y = x +\n    |        ^";
    assert_eq!(error, expected);
    fails("x = [1, 2][5]", "m.star:1:11: there is no element 5 of 2");
    fails("x = {'a': 1}['b']", "the dict has no key \"b\"");
    fails("x = 'a' + 1", "1:9: `+` does not work on string and int");
    fails("def f(a):\n    return a\nx = f()", "3:6: f() takes 1 argument, not 0");
    fails("x = undefined", "1:5: `undefined` is not defined");
    fails("import os", "1:1: a model stands alone: it cannot import anything");
    fails("x = 1 / 2", "divide with //");
    fails("x = 1.5", "numbers are whole");
    fails("if True:\nx = 1", "expected an indented line, not `x`");
    fails("x = (1", "`(` is never closed");
    fails("x = 'a", "the string is never closed");
    fails("fail('no', 3)", "1:5: no 3");
    fails("x = 9223372036854775807 + 1", "does not fit into 64 bits");
    fails("x = {[1]: 2}", "a list cannot be a key");
    fails(
        "xs = [1]\nfor v in xs:\n    xs.append(v)",
        "3:8: this cannot be changed while a loop goes over it",
    );
    fails("l = []\ndef f():\n    l.append(1)\nx = [].foo()", "no value has a method `foo`");
    fails("print(1)", "a model cannot print");
    fails("x = 1 < 2 < 3", "two values at a time");
}

#[test]
fn everything_is_bounded() {
    fails(
        "def f():\n    while True:\n        pass\nx = f()",
        "2:5: this takes too long: does it loop forever?",
    );
    fails("def f():\n    return f()\nx = f()", "functions call each other too deeply");
    fails("x = 'a' * 1000000000000", "takes too long");
    fails("x = [0] * 1000000000", "takes too long");
    fails("x = list(range(1000000000000))", "takes too long");
    fails("s = 'ab'\nfor i in range(100):\n    s = s + s\nx = s", "takes too long");
    fails(&format!("x = {}1{}", "(".repeat(500), ")".repeat(500)), "nested too deeply");
    fails(&format!("x = {}1", "-".repeat(500).replace('-', "- ")), "nested too deeply");
    fails(&format!("x = 1{}", " + 1".repeat(5000)), "too long");
    fails(&format!("x = {}1", "not ".repeat(500)), "nested too deeply");
    let nested: String = (0..70).map(|i| format!("{}if 1:\n", " ".repeat(i))).collect();
    fails(&format!("{nested}{}x = 1", " ".repeat(70)), "nested too deeply");
}
