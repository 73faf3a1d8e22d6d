"""A model for linpoint in Python: one file, no dependencies. Copy it next to your model.

    from linpoint_model import serve

    def step(state, op, args):
        ...
        return result, state          # or a list of such pairs, or None if the operation has to wait

    serve("bank", init={"a": 100, "b": 0}, step=step)

States are anything that JSON can express; two states are equal if their JSON is. `step` gets a copy that it may change.
Run it with: linpoint check --model-command 'python3 bank.py' run.jsonl
"""

import json
import sys


def serve(name, init, step, *, version="", about="", describe=None, shape=None, reads=(), keys=None,
          one_key=False, ops=(), process=False, options=None):
    """Answers linpoint's questions until it has no more.

    init      the state before the first operation, or a function that gives it; it gets the options if there are any
    step      step(state, op, args), or step(state, op, args, process) with process=True
    describe  describe(state): the state as text, for explanations
    shape     what kind of object it is: ["queue", {"push": "add", "take": "remove"}]
    reads     names of operations that never change the state
    keys      the position of the argument that an operation is about: {"put": 0, "get": 0}
    one_key   true if every operation has a key
    ops       what can be called, for `linpoint gen`: [["put", "$key", "$value"], ["get", "$key"]]
    options   what can be set, with defaults: {"initial": 0}
    """
    dumps = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
    loads = json.loads
    values = dict(options or {})

    def hello(question):
        values.update(question["options"])
        return {"name": name, "version": version, "about": about, "shape": shape, "reads": list(reads),
                "keys": dict(keys or {}), "one_key": one_key, "ops": list(ops), "process": process,
                "options": values}

    def first():
        if not callable(init):
            return init
        return init(values) if options else init()

    def outcomes(state, op):
        found = step(state, op[0], op[1], op[2] if len(op) > 2 else None) if process else step(state, op[0], op[1])
        if found is None:
            return []
        return found if isinstance(found, list) else [found]

    def run(question):
        """Performs operations one after the other, and gives all outcomes of each."""
        text, answers = dumps(question["state"]), []
        for op in question["ops"]:
            pairs = [(ret, dumps(after)) for ret, after in outcomes(loads(text), op)]
            answers.append("[" + ",".join("[" + dumps(ret) + "," + after + "]" for ret, after in pairs) + "]")
            text = pairs[0][1] if pairs else text
        return "[" + ",".join(answers) + "]"

    for line in sys.stdin:
        question = loads(line)
        number = question["id"]
        try:
            if "steps" in question:
                body = '"outcomes":[' + ",".join(run(each) for each in question["steps"]) + "]"
            elif "init" in question:
                body = '"state":' + dumps(first())
            elif "describe" in question:
                state = question["describe"]
                body = '"text":' + dumps(str(describe(state)) if describe else dumps(state))
            elif "hello" in question:
                body = dumps(hello(question["hello"]))[1:-1]
            else:
                body = '"error":"unknown question"'
        except Exception as error:  # linpoint reports it
            body = '"error":' + dumps("%s: %s" % (type(error).__name__, error))
        sys.stdout.write('{"id":%d,%s}\n' % (number, body))
        sys.stdout.flush()
