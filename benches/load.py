"""Time to the first image of a GLB file: Ambler, from the file and from its cache, beside Open3D.

    cargo build --release
    python -m venv venv && venv/bin/pip install open3d numpy
    venv/bin/python benches/load.py SCENE.glb [--binary PATH] [--rounds 5]

In turn, medians over the rounds. Ambler reads, prepares its renderer and draws colour, depth, instance and
category at 256x256. Open3D reads the same file with its textures, builds Embree's tree and casts 256x256
rays: depth and primitive ids, no colours.
"""

import argparse
import json
import statistics
import subprocess
import time

import numpy as np
import open3d as o3d


def open3d_first_image(path, size=256):
    begin = time.perf_counter()
    model = o3d.io.read_triangle_model(path)
    read = time.perf_counter()
    scene = o3d.t.geometry.RaycastingScene()
    for part in model.meshes:
        vertices = np.asarray(part.mesh.vertices, np.float32)
        faces = np.asarray(part.mesh.triangles, np.uint32)
        scene.add_triangles(o3d.core.Tensor(vertices), o3d.core.Tensor(faces))
    rays = scene.create_rays_pinhole(79.0, [1, 0, 0], [0, 1, 0], [0, 1, 0], size, size)
    scene.cast_rays(rays)
    end = time.perf_counter()
    return end - begin, read - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene")
    parser.add_argument("--binary", default="target/release/ambler")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    rows = {"Ambler, from the file": [], "Ambler, from the cache": [], "Open3D": []}
    for _ in range(arguments.rounds):
        command = [arguments.binary, "bench", "load", arguments.scene, "--rounds", "1", "--json"]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        rows["Ambler, from the file"].append(found["files"]["first_image_s"])
        rows["Ambler, from the cache"].append(found["cache"]["first_image_s"])
        rows["Open3D"].append(open3d_first_image(arguments.scene)[0])
    for name, times in rows.items():
        print(f"{name:24}{statistics.median(times) * 1e3:10.1f} ms")


if __name__ == "__main__":
    main()
