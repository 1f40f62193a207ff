# Writes data/npy_fixtures.json: .npy files as numpy saves them, in base64. Needs numpy; the tests do not.
import base64
import io
import json
import pathlib

import numpy as np


def saved(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return base64.b64encode(file.getvalue()).decode()


values = [[1, 2, 3], [4, 5, 6]]
types = ["i1", "<i2", "<i4", "<i8", "u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]
files = {"bool": saved(np.array([[1, 0, 1], [0, 1, 1]], dtype=bool))}
files.update({np.dtype(name).name: saved(np.array(values, dtype=name)) for name in types})
files["big"] = saved(np.array(values, dtype=">f4"))
files["fortran"] = saved(np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))
files["str"] = saved(np.array([["ab", "c"], ["", "\u4e2d\u6587"]]))
files["scalar"] = saved(np.float32(7))
files["empty"] = saved(np.zeros((0, 3), "<f4"))
pathlib.Path(__file__).with_name("data").joinpath("npy_fixtures.json").write_text(json.dumps(files))
