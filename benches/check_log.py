"""Opens episode logs with the public `mcap` package (pip install mcap) and checks what FORMATS.md says.

    python3 benches/check_log.py runs/*/replays/*.mcap
"""

import base64
import json
import struct
import sys

from mcap.reader import make_reader


def check(path):
    with open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True)
        assert reader.get_header().profile == "ambler"
        summary = reader.get_summary()
        counted = summary.statistics.message_count
        steps, layers, topics, total = [], 0, set(), 0
        for schema, channel, message in reader.iter_messages():
            total += 1
            topics.add(channel.topic)
            assert schema.encoding == "jsonschema" and json.loads(schema.data)["type"] == "object"
            value = json.loads(message.data)
            assert message.log_time == message.sequence * 100_000_000
            if channel.topic == "/steps":
                assert message.sequence == len(steps)
                steps.append(value)
            elif channel.topic.startswith("/layers"):
                layers += 1
                grid = value["layer"].get("grid")
                if grid:
                    (kind, data), = grid["values"].items()
                    data = base64.b64decode(data)
                    if kind == "f32":
                        data = struct.unpack(f"<{len(data) // 4}f", data)
                    assert len(data) == grid["cols"] * grid["rows"]
            elif channel.topic == "/end":
                end = value
        assert total == counted, (total, counted)
        assert end["steps"] == len(steps) and end["whole"]
        # Seeking reads only the chunks that it needs.
        one = [m for _, _, m in reader.iter_messages(topics=["/steps"], starting_at=0, ending_before=1)]
        assert len(one) == 1
        print(f"{path}: {len(steps)} steps, {layers} layers, {len(summary.chunk_indexes)} chunks")


for path in sys.argv[1:]:
    check(path)
