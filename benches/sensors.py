"""Speed of Ambler's sensors beside Open3D's RaycastingScene (Embree), interleaved in one run.

    cargo build --release -p ambler_sensor --example bench_sensors
    python -m venv venv && venv/bin/pip install open3d numpy
    venv/bin/python benches/sensors.py SCENE [--up y|z] [--poses POSES.json] [--lenses 79,equirectangular,fisheye200] [--binary PATH]

Ambler draws colour, depth, instance and category; Open3D delivers depth and primitive ids of the same
rays. Both use the same number of threads. Each round draws all poses with one, then the other; the
medians over the rounds are printed. POSES is a JSON list of [x, y, z, yaw] of the camera; without it
poses are drawn where a camera could stand.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np
import open3d as o3d


def triangles(path, up):
    if path.endswith(".ply"):
        mesh = o3d.t.io.read_triangle_mesh(path)
        vertices, faces = mesh.vertex.positions.numpy(), mesh.triangle.indices.numpy()
    else:
        model = o3d.io.read_triangle_model(path)
        parts, faces, count = [], [], 0
        for part in model.meshes:
            vertices = np.asarray(part.mesh.vertices)
            faces.append(np.asarray(part.mesh.triangles) + count)
            parts.append(vertices)
            count += len(vertices)
        vertices, faces = np.concatenate(parts), np.concatenate(faces)
    vertices = np.asarray(vertices, np.float32)
    if up == "z":
        vertices = vertices[:, [0, 2, 1]] * np.float32([1, 1, -1])
    return vertices, np.asarray(faces, np.uint32)


def rays(pose, width, height, lens):
    """Rays of a pinhole camera (`lens` is its horizontal field of view in degrees), of `equirectangular`, or of a
    fisheye, as `fisheye200`."""
    x, y, z, yaw = pose
    right, up = np.meshgrid(np.arange(width) + 0.5 - width / 2, height / 2 - np.arange(height) - 0.5)
    if lens == "equirectangular":
        azimuth, elevation = right * 2 * np.pi / width, up * np.pi / height
        level = np.cos(elevation)
        u, v, ahead = np.sin(azimuth) * level, np.sin(elevation), np.cos(azimuth) * level
    elif lens.startswith("fisheye"):
        fov = np.radians(float(lens.removeprefix("fisheye")))
        from_middle = np.maximum(np.hypot(right, up), 1e-9)
        angle = from_middle * fov / width
        # What is beyond the field of view is left out: no ray has a direction there.
        side = np.where(angle <= fov / 2, np.sin(angle) / from_middle, 0)
        u, v, ahead = right * side, up * side, np.where(angle <= fov / 2, np.cos(angle), 0)
    else:
        scale = width / 2 / np.tan(np.radians(float(lens)) / 2)
        u, v, ahead = right / scale, up / scale, np.ones_like(right)
    c, s = np.cos(yaw), np.sin(yaw)
    # Camera axes in the world: right (c, 0, -s), up, back (s, 0, c).
    d = np.stack([u * c - s * ahead, v, -u * s - c * ahead], -1).reshape(-1, 3)
    d = d[np.any(d != 0, -1)]
    o = np.broadcast_to(np.array([x, y, z]), d.shape)
    return o3d.core.Tensor(np.concatenate([o, d], -1).astype(np.float32))


def standing_places(vertices, faces, count):
    """Places 1.31 m above a floor, under a ceiling and 0.3 m away from everything."""
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(faces))
    rng = np.random.default_rng(1)
    low, high = vertices.min(0), vertices.max(0)
    poses = []
    for _ in range(200):
        at = rng.uniform(low, high, (1000, 3)).astype(np.float32)
        down = np.concatenate([at, np.tile(np.float32([0, -1, 0]), (1000, 1))], 1)
        up = np.concatenate([at, np.tile(np.float32([0, 1, 0]), (1000, 1))], 1)
        floor = scene.cast_rays(o3d.core.Tensor(down))["t_hit"].numpy()
        roof = scene.cast_rays(o3d.core.Tensor(up))["t_hit"].numpy()
        away = scene.compute_distance(o3d.core.Tensor(at)).numpy()
        good = (abs(floor - 1.31) < 0.2) & (roof < 3) & (away > 0.3)
        poses += [[*map(float, p), float(rng.uniform(0, 2 * np.pi))] for p in at[good]]
        if len(poses) >= count:
            break
    return poses[:count]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene")
    parser.add_argument("--up", default="y")
    parser.add_argument("--poses")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--lenses", default="79", help="degrees, equirectangular, fisheye200; several with commas")
    parser.add_argument("--sizes", default="256x256,640x480")
    parser.add_argument("--threads", default="1,2")
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--binary", default=f"{target}/release/examples/bench_sensors")
    args = parser.parse_args()
    vertices, faces = triangles(args.scene, args.up)
    if args.poses:
        poses = json.load(open(args.poses))[: args.count]
    else:
        poses = standing_places(vertices, faces, args.count)
    file = tempfile.NamedTemporaryFile("w", suffix=".json")
    print(f"{len(faces)} triangles, {len(poses)} poses")
    json.dump(poses, file)
    file.flush()
    ours = subprocess.Popen(
        [args.binary, args.scene, file.name, args.up], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    print(ours.stdout.readline().strip())
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(faces))
    print("| image | threads | Ambler images/s | Embree images/s | ratio | ratio by processor time |")
    print("|---|---|---|---|---|---|")
    images = [(lens, size) for lens in args.lenses.split(",") for size in args.sizes.split(",")]
    for lens, size in images:
        width, height = map(int, size.split("x"))
        batch = [rays(pose, width, height, lens) for pose in poses]
        for threads in map(int, args.threads.split(",")):
            a, b, ca, cb = [], [], [], []
            for turn in range(args.rounds + 1):
                ours.stdin.write(f"draw {width} {height} {lens} {threads} fast all 3\n")
                ours.stdin.flush()
                wall, busy = map(float, ours.stdout.readline().split())
                start, busy_start = time.perf_counter(), time.process_time()
                for one in batch:
                    scene.cast_rays(one, nthreads=threads)
                peer = time.perf_counter() - start
                peer_busy = time.process_time() - busy_start
                if turn > 0:  # The first warms both up.
                    a.append(wall / 3), b.append(peer), ca.append(busy / 3), cb.append(peer_busy)
            rate = [len(poses) / statistics.median(times) for times in (a, b)]
            ratio = statistics.median([q / p for p, q in zip(a, b)])
            busy = statistics.median([q / max(p, 1e-9) for p, q in zip(ca, cb)])
            print(
                f"| {lens} {width}×{height} | {threads} | {rate[0]:.0f} | {rate[1]:.0f} | {ratio:.2f} | {busy:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
