"""A worker without a system behind it: answers well, and does what a case's name says.

The name of the case is the misbehaviour; any other one is answered with what the case fed.
"""

import json
import os
import signal
import sys
import time

SYSTEM = {
    "dtypes": ["f32"],
    "ops": None,
    "profile": "eager",
    "artifacts": True,
    "versions": {"torch": "2.13.0"},
}


def reply(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def good(request):
    feed = request["case"]["feed"]
    types = {name: spec["type"] for name, spec in request["case"]["graph"]["inputs"].items()}

    def run(data):
        entries = {name: {"type": types[name], "data": values} for name, values in data.items()}
        return {"outputs": list(entries.values()), "inputs": entries, "buffers": {}}

    answer = {"id": request["id"], "status": "ok", **run(feed), "again": run(feed), "ms": {"lower": 1.5, "run": 0.5}}
    if "second_feed" in request:
        answer["b"] = run(request["second_feed"])
        answer["kept"] = answer["outputs"]
    return answer


def flood(piece):
    while True:
        os.write(1, piece)


served = 0


def main():
    global served
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "hello":
            reply({"id": request["id"], "protocol": 1, "name": "stand-in", "version": "7", **SYSTEM})
            continue
        name = request["case"]["name"]
        if "artifact" in request:
            os.makedirs(request["artifact"] + "/part")
            for path, content in (("model.pte", b"\x00ET12"), ("part/data", b"more")):
                with open(request["artifact"] + "/" + path, "wb") as file:
                    file.write(content)
            os.symlink("/etc/hostname", request["artifact"] + "/link")
        served += 1
        if name == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif name == "segv":
            sys.stderr.write("about to fall \xff\x01\n")
            sys.stderr.flush()
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGSEGV)
        elif name == "segv_unless_first" and served > 1:
            os.kill(os.getpid(), signal.SIGABRT)
        elif name == "abort":
            os.write(2, b"loading\ncheck failed: dim < rank\n")
            os.abort()
        elif name == "panic":  # as Rust does it across a foreign function
            os.write(2, b"thread 'a' (7) panicked at src/a.rs:24:18:\nno such type\nnote: a hint\n\n")
            os.write(2, b"thread 'a' (7) panicked at core/panicking.rs:1:5:\npanic in a function that cannot unwind\n")
            os.write(2, b"stack backtrace:\n   0: 0x1\nthread caused non-unwinding panic. aborting.\n")
            os.abort()
        elif name == "exit":
            sys.exit(3)
        elif name == "close_output":
            os.close(1)
            time.sleep(3600)
        elif name == "hang":
            while True:
                pass
        elif name == "hang_with_child":
            if os.fork() == 0:
                time.sleep(3600)
            time.sleep(3600)
        elif name == "flood":
            flood(b"x" * 65536)
        elif name == "flood_lines":
            flood(b'{"id": 1}\n' * 6000)
        elif name == "flood_errors":
            for _ in range(1000):
                os.write(2, b"noise " * 20000)
            os.write(2, b"last words\n")
            sys.exit(4)
        elif name == "not_json":
            print("Loading model... done")
            sys.stdout.flush()
        elif name == "deep":
            print(f'{{"id": {request["id"]}, "status": ' + "[" * 500_000)
            sys.stdout.flush()
        elif name == "wrong_id":
            reply({**good(request), "id": request["id"] + 1})
        elif name == "no_status":
            reply({"id": request["id"]})
        elif name == "bad_type":
            reply({**good(request), "outputs": [{"type": "f32[2,-1]", "data": []}]})
        elif name == "bad_count":
            reply({**good(request), "outputs": [{"type": "f32[3]", "data": [1, 2]}]})
        elif name == "bad_input_name":
            reply({**good(request), "inputs": {"nobody": None}})
        elif name == "bad_identity":
            reply({**good(request), "identity": [0]})
        elif name == "two_replies":
            reply(good(request))
            reply(good(request))
        elif name == "rejected":
            reply(
                {
                    "id": request["id"],
                    "status": "rejected",
                    "stage": "lower",
                    "kind": "NotImplementedError",
                    "message": "no kernel",
                    "because": "documented",
                    "traceback": "line 1",
                }
            )
        elif name == "stops_reading":
            time.sleep(3600)
        else:
            reply(good(request))


main()
