"""Walks on; turns left where it bumps. Run: ambler eval --agent "exec:python3 examples/agents/forward_until_wall.py" """
import pathlib, sys
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/ambler_client"))
import ambler_client

def act(seen):
    if seen.get("pointgoal", [1.0])[0] < 0.2:
        return "stop"
    return "turn_left" if seen["collided"] else "move_forward"

ambler_client.run(act, name="forward until wall", wants=[])
