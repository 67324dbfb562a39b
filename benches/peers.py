"""Speed of Ambler's sensors beside PyBullet's TinyRenderer and MuJoCo's renderer, in turn in one run.

    cargo build --release -p ambler_sensor --example bench_sensors
    python -m venv venv && venv/bin/pip install open3d numpy pybullet mujoco
    venv/bin/python benches/peers.py SCENE [--up y|z] [--poses POSES.json] [--binary PATH]

All draw colour, depth and ids of the same views: MuJoCo in three images, as it has to. Ambler and TinyRenderer
use one thread. MuJoCo draws with OpenGL: with MUJOCO_GL=egl or osmesa, on the processor where Mesa's llvmpipe is
what there is, which uses all cores. Both peers draw the mesh in one colour, with their own light, without shadows;
Ambler with the scene's own colours. A peer that is not installed, or that cannot draw here, is left out and said
so. Each round draws all poses with each in turn; medians over the rounds are printed.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np

from sensors import standing_places, triangles

NEAR, FAR = 0.01, 1000.0


def axes(yaw):
    """Right, up and back of a camera in the world."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([c, 0, -s]), np.array([0, 1.0, 0]), np.array([s, 0, c])


class PyBullet:
    name = "PyBullet, TinyRenderer"

    def __init__(self, path):
        import pybullet

        self.api = pybullet
        self.client = pybullet.connect(pybullet.DIRECT)
        shape = pybullet.createVisualShape(pybullet.GEOM_MESH, fileName=path)
        assert shape >= 0, "it does not take the mesh"
        pybullet.createMultiBody(0, -1, shape)

    def draw(self, pose, width, height, hfov):
        api = self.api
        eye = np.array(pose[:3])
        right, up, back = axes(pose[3])
        view = api.computeViewMatrix(eye.tolist(), (eye - back).tolist(), up.tolist())
        vfov = np.degrees(2 * np.arctan(np.tan(np.radians(hfov) / 2) * height / width))
        lens = api.computeProjectionMatrixFOV(float(vfov), width / height, NEAR, FAR)
        image = api.getCameraImage(width, height, view, lens, shadow=0, renderer=api.ER_TINY_RENDERER)
        depth = np.reshape(image[3], (height, width))
        return FAR * NEAR / (FAR - (FAR - NEAR) * depth)


class MuJoCo:
    name = "MuJoCo, OpenGL"

    def __init__(self, path):
        import mujoco

        self.api = mujoco
        xml = f"""<mujoco><compiler meshdir="{os.path.dirname(path)}"/>
          <visual><global offwidth="1280" offheight="960"/><map znear="{NEAR}" zfar="{FAR}"/></visual>
          <statistic extent="1"/>
          <asset><mesh name="scene" file="{os.path.basename(path)}" inertia="shell"/></asset>
          <worldbody>
            <geom type="mesh" mesh="scene" contype="0" conaffinity="0"/>
            <body name="eye" mocap="true"><camera name="eye" fovy="45"/></body>
          </worldbody></mujoco>"""
        self.model = mujoco.MjModel.from_xml_string(xml)
        self.data = mujoco.MjData(self.model)
        self.renderer, self.size = None, None
        # The compiler moves a mesh to its middle and turns it to its main axes, and the geom back.
        self.model.vis.quality.shadowsize = 0

    def draw(self, pose, width, height, hfov):
        api = self.api
        if self.size != (width, height):
            if self.renderer:
                self.renderer.close()
            self.renderer, self.size = api.Renderer(self.model, height, width), (width, height)
        self.model.cam_fovy[0] = np.degrees(2 * np.arctan(np.tan(np.radians(hfov) / 2) * height / width))
        self.data.mocap_pos[0] = pose[:3]
        self.data.mocap_quat[0] = [np.cos(pose[3] / 2), 0, np.sin(pose[3] / 2), 0]
        api.mj_forward(self.model, self.data)
        renderer = self.renderer
        renderer.update_scene(self.data, camera="eye")
        renderer.scene.flags[api.mjtRndFlag.mjRND_SHADOW] = 0
        renderer.render()
        renderer.enable_segmentation_rendering()
        renderer.render()
        renderer.disable_segmentation_rendering()
        renderer.enable_depth_rendering()
        depth = renderer.render()
        renderer.disable_depth_rendering()
        return depth


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("scene")
    parser.add_argument("--up", default="y")
    parser.add_argument("--poses")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--hfov", type=float, default=79.0)
    parser.add_argument("--sizes", default="256x256,640x480")
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    parser.add_argument("--binary", default=f"{target}/release/examples/bench_sensors")
    args = parser.parse_args()
    vertices, faces = triangles(args.scene, args.up)
    poses = json.load(open(args.poses))[: args.count] if args.poses else standing_places(vertices, faces, args.count)
    folder = tempfile.TemporaryDirectory()
    mesh, list_of_poses = f"{folder.name}/scene.obj", f"{folder.name}/poses.json"
    with open(mesh, "w") as out:
        out.writelines("v %.6f %.6f %.6f\n" % tuple(v) for v in vertices)
        out.writelines("f %d %d %d\n" % tuple(f + 1) for f in faces)
    json.dump(poses, open(list_of_poses, "w"))
    print(f"{len(faces)} triangles, {len(poses)} poses")
    ours = subprocess.Popen(
        [args.binary, args.scene, list_of_poses, args.up], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    print(ours.stdout.readline().strip())
    peers = []
    for peer in (PyBullet, MuJoCo):
        try:
            made = peer(mesh)
            made.draw(poses[0], 64, 64, args.hfov)
            peers.append(made)
        except Exception as error:
            print(f"{peer.name} is left out: {type(error).__name__}: {error}")
    print("| image | renderer | images/s | Ambler's ratio | median depth of the first view |")
    print("|---|---|---|---|---|")
    for size in args.sizes.split(","):
        width, height = map(int, size.split("x"))
        times, own = [[] for _ in peers], []
        for turn in range(args.rounds + 1):
            ours.stdin.write(f"draw {width} {height} {args.hfov} 1 fast all 3\n")
            ours.stdin.flush()
            wall = float(ours.stdout.readline().split()[0]) / 3
            own += [wall] if turn else []
            for peer, list_of_times in zip(peers, times):
                start = time.perf_counter()
                for pose in poses:
                    peer.draw(pose, width, height, args.hfov)
                # The first round warms up.
                list_of_times += [time.perf_counter() - start] if turn else []
        print(f"| {width}×{height} | Ambler | {len(poses) / statistics.median(own):.0f} | | |")
        for peer, list_of_times in zip(peers, times):
            ratio = statistics.median([b / a for a, b in zip(own, list_of_times)])
            depth = np.median(peer.draw(poses[0], width, height, args.hfov))
            rate = len(poses) / statistics.median(list_of_times)
            print(f"| {width}×{height} | {peer.name} | {rate:.1f} | {ratio:.1f} | {depth:.2f} m |", flush=True)


if __name__ == "__main__":
    main()
