"""A staged install holds what it should, and a stranger's program builds and
runs from it in four ways: CMake and pkg-config, shared and static."""
import os
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("WEIR_BUILD", os.path.join(ROOT, "build"))
SOURCE = os.path.join(HERE, "consumer")


def run(*command, **settings):
    result = subprocess.run(command, capture_output=True, text=True,
                            **settings)
    if result.returncode:
        raise AssertionError(f"{' '.join(command)}: exit code "
                             f"{result.returncode}\n{result.stdout}"
                             f"{result.stderr}")
    return result.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = tempfile.mkdtemp(prefix="weir-install-")
        cls.prefix = os.path.join(cls.stage, "opt/weir")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.stage)

    def flags(self, *options):
        folder = os.path.join(self.prefix, "lib/pkgconfig")
        return run("pkg-config", *options, "weir", env={
            **os.environ, "PKG_CONFIG_PATH": folder}).split()

    def compiled(self, name, *flags):
        program = os.path.join(self.stage, name)
        run("cc", os.path.join(SOURCE, "consumer.c"), "-o", program, *flags)
        return program

    def test_files(self):
        found = {os.path.relpath(os.path.join(folder, name), self.prefix)
                 for folder, _, names in os.walk(self.prefix)
                 for name in names}
        expected = {"include/weir/weir.h", "lib/libweir.a", "lib/libweir.so",
                    "lib/libweir.so.0", "lib/pkgconfig/weir.pc",
                    "lib/cmake/weir/weir-config.cmake",
                    "share/doc/weir/LICENSE", "bin/weir",
                    "share/man/man1/weir.1",
                    "share/bash-completion/completions/weir",
                    "share/zsh/site-functions/_weir"}
        self.assertEqual(expected - found, set())
        headers = {name for name in found if name.startswith("include/")}
        ours = {"include/weir/" + name
                for name in os.listdir(os.path.join(ROOT, "include/weir"))}
        self.assertEqual(headers, ours)

    def test_pkg_config_shared(self):
        program = self.compiled("shared", *self.flags("--cflags", "--libs"))
        run(program, env={"LD_LIBRARY_PATH":
                          os.path.join(self.prefix, "lib")})

    def test_pkg_config_static(self):
        flags = self.flags("--cflags", "--libs", "--static")
        archive = os.path.join(self.prefix, "lib/libweir.a")
        program = self.compiled("static", *[archive if flag == "-lweir"
                                            else flag for flag in flags])
        run(program)

    def test_find_package(self):
        build = os.path.join(self.stage, "build")
        run("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        run(os.path.join(build, "consumer-shared"))
        run(os.path.join(build, "consumer-static"))

    def test_prefix_moves(self):
        moved = os.path.join(self.stage, "elsewhere")
        shutil.copytree(self.prefix, moved, symlinks=True)
        flags = run("pkg-config", "--cflags", "weir", env={
            **os.environ,
            "PKG_CONFIG_PATH": os.path.join(moved, "lib/pkgconfig")})
        self.assertEqual(os.path.realpath(flags.strip()[2:]),
                         os.path.join(moved, "include"))


if __name__ == "__main__":
    unittest.main()
