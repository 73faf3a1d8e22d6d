//! Shapes that scripts declare: the claims that follow from them are true, and false ones are found.

use linpoint_custom::{CustomModel, test};

fn model(script: &str) -> CustomModel {
    CustomModel::script_of("m.star", script, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// The false claim of a model, if it has one.
#[track_caller]
fn false_claim(script: &str) -> Option<String> {
    let report = test(&model(script), 7).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.differs, None);
    report.false_claim
}

const CONTAINER: &str = "
init = []
def step(state, op, args):
    if op == 'push':
        return 'ok', state + [args[0]]
    if not state:
        return None, state
    at = AT
    return (state[at], state) if op == 'peek' else (state.pop(at), state)
def is_read(op, args):
    return op == 'peek'
ops = [('push', VALUE), ('take',), ('peek',)]
";

/// A container of a kind, whose element at `at` is the next one.
fn container(kind: &str, at: &str) -> String {
    let shape =
        format!("shape = ('{kind}', {{'push': 'add', 'take': 'remove', 'peek': 'peek'}})\n");
    CONTAINER.replace("AT", at) + &shape
}

#[test]
fn containers() {
    assert_eq!(false_claim(&container("queue", "0")), None);
    assert_eq!(false_claim(&container("stack", "-1")), None);
    assert_eq!(false_claim(&container("min_queue", "state.index(min(state))")), None);
    assert_eq!(false_claim(&container("max_queue", "state.index(max(state))")), None);
    for (kind, at) in [("queue", "-1"), ("stack", "0"), ("min_queue", "state.index(max(state))")] {
        let claim = false_claim(&container(kind, at)).expect("it is another kind");
        assert!(claim.contains("shape"), "{claim}");
    }
}

#[test]
fn a_bag_has_several_outcomes() {
    let bag = "
init = []
def step(state, op, args):
    if op == 'push':
        return 'ok', sorted(state + args)
    if not state:
        return None, state
    return [(v, state[:at] + state[at + 1:]) for at, v in enumerate(state) if state.index(v) == at]
shape = ('bag', {'push': 'add', 'take': 'remove'})
ops = [('push', VALUE), ('take',)]
";
    assert_eq!(false_claim(bag), None);
}

#[test]
fn deques() {
    let deque = "
init = []
def step(state, op, args):
    if op == 'push_front':
        return 'ok', args + state
    if op == 'push_back':
        return 'ok', state + args
    if not state:
        return None, state
    return state.pop(0 if op == 'pop_front' else -1), state
shape = ('deque', {'push_front': 'add_front', 'push_back': 'add', 'pop_front': 'remove_front', 'pop_back': 'remove'})
ops = [('push_front', VALUE), ('push_back', VALUE), ('pop_front',), ('pop_back',)]
";
    assert_eq!(false_claim(deque), None);
    let swapped = deque.replace(
        "'pop_front': 'remove_front', 'pop_back': 'remove'",
        "'pop_front': 'remove', 'pop_back': 'remove_front'",
    );
    assert!(false_claim(&swapped).is_some());
}

#[test]
fn locks_and_semaphores() {
    let lock = "
init = False
def step(state, op, args):
    if op == 'acquire':
        return None if state else (None, True)
    if op == 'try':
        return not state, True
    if op == 'held':
        return state, state
    return (None, False) if state else None
shape = ('lock', {'acquire': 'acquire', 'release': 'release', 'try': 'try_acquire', 'held': 'is_held'})
ops = ['acquire', 'release', 'try', 'held']
";
    assert_eq!(false_claim(lock), None);
    assert!(
        false_claim(&lock.replace("(None, False) if state else None", "None, False")).is_some()
    );
    let semaphore = "
init = 2
def step(state, op, args):
    if op == 'acquire':
        return (None, state - 1) if state > 0 else None
    if op == 'try':
        return (True, state - 1) if state > 0 else (False, state)
    return None, state + 1
shape = ('semaphore', {'acquire': 'acquire', 'release': 'release', 'try': 'try_acquire'}, 2)
ops = ['acquire', 'release', 'try']
";
    assert_eq!(false_claim(semaphore), None);
    assert!(false_claim(&semaphore.replace("}, 2)", "}, 1)")).is_some());
}

#[test]
fn registers_and_counters() {
    let registers = "
init = {}
def step(state, op, args):
    key = args[0]
    now = state.get(key, 0)
    if op == 'get':
        return now, state
    if op == 'put':
        state[key] = args[1]
        return 'ok', state
    if now == args[1]:
        state[key] = args[2]
    return now == args[1], state
def key(op, args):
    return args[0]
shape = ('register', {'get': 'read', 'put': 'write', 'cas': 'compare_and_set'}, 0)
ops = [('get', KEY), ('put', KEY, VALUE), ('cas', KEY, VALUE, VALUE), ('cas', KEY, 0, VALUE)]
";
    assert_eq!(false_claim(registers), None);
    assert!(
        false_claim(&registers.replace("compare_and_set'}, 0", "compare_and_set'}, 1")).is_some()
    );
    assert!(
        false_claim(&registers.replace("    return args[0]\n", "    return args[-1]\n")).is_some()
    );
    let counter = "
init = 3
def step(state, op, args):
    if op == 'get':
        return state, state
    return (state if op == 'fetch_add' else None), state + args[0]
shape = ('counter', {'get': 'read', 'add': 'add', 'fetch_add': 'fetch_and_add'}, 3)
ops = ['get', ('add', AMOUNT), ('fetch_add', AMOUNT)]
";
    assert_eq!(false_claim(counter), None);
    assert!(false_claim(&counter.replace("}, 3)", "}, 4)")).is_some());
}

#[test]
fn sets() {
    let set = "
init = set()
def step(state, op, args):
    v = args[0]
    found = v in state
    if op == 'add':
        state.add(v)
        return not found, state
    if op == 'remove':
        state.discard(v)
    return found, state
def key(op, args):
    return args[0]
shape = ('set', {'add': 'add', 'remove': 'remove', 'has': 'contains'})
ops = [('add', VALUE), ('remove', VALUE), ('has', VALUE)]
";
    assert_eq!(false_claim(set), None);
    assert!(false_claim(&set.replace("return not found", "return found")).is_some());
}

#[test]
fn a_read_that_writes_is_found() {
    let script = container("queue", "0").replace("return op == 'peek'", "return op != 'push'");
    let claim = false_claim(&script).expect("take changes the queue");
    assert!(claim.contains("is_read"), "{claim}");
}

#[test]
fn operations_beside_the_shape_switch_its_claims_off() {
    let script = container("queue", "0")
        .replace(
            "    if not state:",
            "    if op == 'size':\n        return len(state), state\n    if not state:",
        )
        .replace("('peek',)]", "('peek',), ('size',)]");
    assert_eq!(false_claim(&script), None);
}
