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

/// What Python and scripts compute in the same way.
const AS_IN_PYTHON: &[&str] = &[
    "[a // b for a in [-7, 7, 6, 0] for b in [2, -2, 3, -3]]",
    "[a % b for a in [-7, 7, 6, 0] for b in [2, -2, 3, -3]]",
    "[a >> b for a in [-7, 7, 1] for b in [0, 1, 3]] + [a << b for a in [-7, 7] for b in [0, 3]]",
    "[a ^ b for a in [-7, 7] for b in [1, -1]] + [a & b for a in [-7, 7] for b in [1, -1]]",
    "['abcdef'[i:j] for i in [-9, -2, 0, 1, 9] for j in [-9, -1, 0, 3, 9]]",
    "[list(range(6))[i:j:k] for i in [-2, 0, 9] for j in [-9, 3, 9] for k in [-2, -1, 1, 3]]",
    "[[0, 1, 2, 3][::-1], (1, 2, 3)[1:], 'abc'[::-1], [1, 2, 3][-1], 'abc'[-2]]",
    "[list(range(5, 0, -2)), list(range(0)), len(range(1, 10, 3)), 7 in range(1, 9, 2), 8 in range(1, 9, 2)]",
    "[1 < 2 and 3, 0 or 'x', not [], [] and 1, None or 0, 1 if '' else 2]",
    "[[1, 2] < [1, 3], (1,) < (1, 0), 'a' < 'b', [2] > [1, 9], 'ab' <= 'ab']",
    "[1 in [1], 'b' in 'abc', 3 not in (1, 2), 'k' in {'k': 1}, 2 in {1, 2}]",
    "sorted([3, 1, 2]) + sorted([3, 1, 2], reverse=True) + list(reversed([1, 2]))",
    "sorted(['b', 'a', 'C']) + [min('b', 'a'), max(['x', 'y']), min([3, 1], default=0), max([], default=9)]",
    "[sum([1, 2]), any([0, 1]), all([1, 0]), all([]), abs(-3), len({'a': 1}), bool([0])]",
    "list(zip([1, 2, 3], 'ab')) + list(enumerate('xy', 1))",
    "'a,b,,c'.split(',') + ' a  b '.split() + 'a,b,c'.split(',', 1) + [' x '.strip(), 'xx'.replace('x', 'yz')]",
    "['-'.join(['a', 'b']), 'aXb'.lower(), 'ab'.upper(), 'abcabc'.count('bc'), 'abc'.find('c'), 'abc'.find('z')]",
    "['abc'.startswith('ab'), 'abc'.endswith('bc'), 'abc'.removeprefix('ab'), 'abc'.removesuffix('x'), '12'.isdigit()]",
    "['%s-%d%%' % ('a', 3), '%r' % 'x', '{} {}'.format(1, 'b'), '{1}{0}'.format('a', 'b'), '{{}}'.format()]",
    "[str(1), str('a'), str([1, 2]), repr((1,)), str(None), str(True), int('12'), int(True), int(' -3 ')]",
    "[{'a': 1} == {'a': 1}, [1] == (1,), {1, 2} == {2, 1}, 'a' == 1, None == False]",
    "sorted({'b': 1, 'a': 2}.items()) + sorted({'b': 1}.keys()) + [{'a': 1}.get('b'), {'a': 1}.get('b', 5)]",
    "[sorted({1, 2} | {3}), sorted({1, 2} & {2}), sorted({1, 2} - {2}), sorted({1, 2} ^ {2, 3}), sorted({'a': 1} | {'b': 2})]",
    "[x for xs in [[1, 2], [3]] for x in xs if x != 2] + [sum(n for n in range(4))]",
    "sorted({k: v * 2 for k, v in [('a', 1), ('b', 2)]}.items()) + sorted({n % 3 for n in range(7)})",
    "[[1, 2] * 2, (0,) * 3, 'ab' * 2, 2 * [1], [1] * -1, [1] + [2], (1,) + (2,)]",
    "[-3 // 2, -(3 // 2), - -3, +4, 2 - -2, 2 * 3 + 4 * 5, (2 + 3) * 4, 7 - 2 - 1]",
    "[[1, [2, 3]].index([2, 3]), [1, 1].count(1), 'a' 'b', 'tab\\t', r'\\d', \"it's\", 0x1f, 1_000]",
];

#[test]
fn scripts_agree_with_python() {
    let show = "def show(v):\n    if isinstance(v, str): return '\"' + v.replace('\\\\', '\\\\\\\\').replace('\\t', '\\\\t') + '\"'\n    \
                if isinstance(v, list): return '[' + ', '.join(map(show, v)) + ']'\n    \
                if isinstance(v, tuple): return '(' + ', '.join(map(show, v)) + (',)' if len(v) == 1 else ')')\n    \
                return repr(v)\n";
    let lines: String = AS_IN_PYTHON.iter().map(|expr| format!("print(show({expr}))\n")).collect();
    let python =
        std::process::Command::new("python3").arg("-c").arg(format!("{show}{lines}")).output();
    let Ok(python) = python else {
        println!("skipped: python3 is not installed");
        return;
    };
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
    let expected = String::from_utf8(python.stdout).unwrap();
    assert_eq!(expected.lines().count(), AS_IN_PYTHON.len());
    for (expr, expected) in AS_IN_PYTHON.iter().zip(expected.lines()) {
        // Python's texts of texts have other quotes.
        let ours = run(&format!("x = {expr}")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ours.replace("\\\"", "'"), expected, "{expr}");
    }
}

/// What is cut off or changed in a script is an error, or another script, but no panic.
#[test]
fn cut_and_changed_scripts_are_no_panic() {
    let pieces = [
        "(", ")", "[", "]", "{", "}", ":", "\n", "    ", "if ", "for ", " in ", "def ", "1", "'",
        "\\", ",", ".", "=", "é",
    ];
    for script in [include_str!("../starts/kv.star"), include_str!("../starts/bank.star")] {
        let script: String = script
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        for (at, _) in script.char_indices().step_by(3) {
            let _ = run(&script[..at]);
            let piece = pieces[at % pieces.len()];
            let _ = run(&format!("{}{piece}{}", &script[..at], &script[at..]));
            let rest = script[at..].chars().skip(1 + at % 4).collect::<String>();
            let _ = run(&format!("{}{rest}", &script[..at]));
        }
    }
}
