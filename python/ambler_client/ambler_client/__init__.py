"""Speak Ambler's agent protocol (docs/FORMATS.md, "Agent protocol"): a policy in a program of its own."""
import os
import struct
import sys

try:
    import msgpack
except ImportError:  # nothing but Python is needed
    from . import _msgpack as msgpack


def run(act, reset=lambda episode: None, name="agent", wants=None):
    """Serve episodes until Ambler is done.

    act(observation) returns an action ("move_forward" or an id), or a dict with "action" and what is to be
    shown: "publish" (layers) and "events" (texts); reset(episode) begins an episode;
    wants lists the images to be sent: rgb, depth, instance, category, detections.
    """
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # print() must not disturb the protocol: it goes to standard error
    sys.stdout = sys.stderr
    while True:
        prefix = stdin.read(4)
        if len(prefix) < 4:
            return
        request = msgpack.unpackb(stdin.read(struct.unpack("<I", prefix)[0]))
        answer = {"id": request["id"]}
        if request["type"] == "hello":
            answer.update(version=1, agent=name, wants=wants)
        elif request["type"] == "reset":
            reset(request["episode"])
        elif request["type"] == "act":
            said = act(request["observation"])
            answer.update(said if isinstance(said, dict) else {"action": said})
        elif request["type"] == "close":
            return
        packed = msgpack.packb(answer)
        stdout.write(struct.pack("<I", len(packed)) + packed)
        stdout.flush()


def array(image):
    """An image of an observation as a NumPy array, (height, width[, 3])."""
    import numpy
    return numpy.frombuffer(image["data"], "<" + numpy.dtype(image["dtype"]).str[1:]).reshape(image["shape"])
