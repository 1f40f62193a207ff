"""Makes images.json: small images of every kind, and what Pillow decodes them to.

    python make_images.py    (pillow 13.0.0, numpy)
"""

import base64
import io
import json
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image, TiffImagePlugin

rng = np.random.default_rng(7)
y, x = np.mgrid[0:13, 0:19]
smooth = np.stack([x * 13, y * 19, 255 - x * 6 - y * 9], -1)
RGB = np.clip(smooth + rng.integers(-12, 13, smooth.shape), 0, 255).astype(np.uint8)
GRAY = np.ascontiguousarray(RGB[:, :, 1])
ALPHA = np.clip(x * 14, 0, 255).astype(np.uint8)
RGBA = np.dstack([RGB, ALPHA])
CMYK = np.dstack([255 - RGB, (ALPHA // 3)])
cases = {}


def bytes_of(image, format, **options):
    stream = io.BytesIO()
    image.save(stream, format, **options)
    return stream.getvalue()


def add(name, data):
    image = Image.open(io.BytesIO(data))
    wide = image.mode.startswith("I;16")
    # What decoders do with deep grey: the upper 8 bits. (Pillow's own conversion clips instead.)
    decoded = Image.fromarray((np.array(image) >> 8).astype(np.uint8)) if wide else image
    parts = {}
    for mode in ("RGB", "L"):
        pixels = np.array(decoded.convert(mode))
        parts[mode] = base64.b64encode(zlib.compress(pixels.tobytes(), 9)).decode()
    height, width = pixels.shape
    cases[name] = {"file": base64.b64encode(data).decode(), "height": height, "width": width, **parts}


def save(name, pixels, format, mode=None, **options):
    image = Image.fromarray(pixels)
    add(name, bytes_of(image.convert(mode) if mode else image, format, **options))


save("jpeg 4:4:4", RGB, "JPEG", subsampling=0, quality=90)
save("jpeg 4:2:2", RGB, "JPEG", subsampling=1, quality=80)
save("jpeg 4:2:0", RGB, "JPEG", subsampling=2, quality=75)
save("jpeg 4:2:0 progressive", RGB, "JPEG", subsampling=2, quality=75, progressive=True)
save("jpeg restart markers", RGB, "JPEG", restart_marker_blocks=1)
save("jpeg grey", GRAY, "JPEG")
save("jpeg without chroma transform", RGB, "JPEG", keep_rgb=True)
add("jpeg cmyk", bytes_of(Image.fromarray(CMYK, "CMYK"), "JPEG"))

save("png rgb", RGB, "PNG")
save("png rgba", RGBA, "PNG")
save("png grey", GRAY, "PNG")
save("png grey and alpha", np.dstack([GRAY, ALPHA]), "PNG")
save("png 16 bits", GRAY.astype(np.uint16) * 257 - 100, "PNG")
save("png palette of 256", RGB, "PNG", mode="P")
palette = Image.fromarray(RGB).quantize(4)
add("png palette of 4", bytes_of(palette, "PNG"))
add("png palette with transparency", bytes_of(palette, "PNG", transparency=b"\0\x80"))
save("png 1 bit", GRAY > 100, "PNG")


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(pixels, depth, color, interlaced):
    """Pillow writes neither interlaced PNG nor RGB of 16 bits. Unfiltered rows."""
    height, width = pixels.shape[:2]
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for left, top, across, down in passes if interlaced else [(0, 0, 1, 1)]:
        part = pixels[top::down, left::across]
        if part.size:
            rows += b"".join(b"\0" + row.astype(">u2" if depth == 16 else "u1").tobytes() for row in part)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    body = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


add("png interlaced", png(RGB, 8, 2, 1))
add("png interlaced grey", png(GRAY, 8, 0, 1))
add("png rgb of 16 bits", png(RGB.astype(np.uint16) * 256 + 77, 16, 2, 0))

for compression in ("raw", "tiff_lzw", "tiff_adobe_deflate", "packbits"):
    save(f"tiff {compression}", RGB, "TIFF", compression=compression)
    save(f"tiff {compression} grey", GRAY, "TIFF", compression=compression)
save("tiff jpeg", RGB, "TIFF", compression="jpeg", quality=90)
predictor = TiffImagePlugin.ImageFileDirectory_v2()
predictor[317] = 2
save("tiff lzw with predictor", RGB, "TIFF", compression="tiff_lzw", tiffinfo=predictor)
for orientation in range(2, 9):
    turned = TiffImagePlugin.ImageFileDirectory_v2()
    turned[274] = orientation
    save(f"tiff orientation {orientation}", RGB, "TIFF", compression="tiff_lzw", tiffinfo=turned)
save("tiff big-endian, several strips", RGB, "TIFF", big_tiff=True, strip_size=19 * 3 * 4)
save("tiff rgba", RGBA, "TIFF", compression="tiff_lzw")
save("tiff 16 bits", GRAY.astype(np.uint16) * 257 - 100, "TIFF")
save("tiff 1 bit", GRAY > 100, "TIFF")
save("tiff palette", RGB, "TIFF", mode="P")
add("tiff cmyk", bytes_of(Image.fromarray(CMYK, "CMYK"), "TIFF"))

save("webp lossy", RGB, "WEBP", quality=70)
save("webp lossy with alpha", RGBA, "WEBP", quality=70)
save("webp lossless", RGB, "WEBP", lossless=True)
save("webp lossless with alpha", RGBA, "WEBP", lossless=True, exact=True)
add(
    "webp animation",
    bytes_of(Image.fromarray(RGB), "WEBP", save_all=True, append_images=[Image.fromarray(RGB[::-1].copy())]),
)

save("jpeg 2000 lossless", RGB, "JPEG2000")
save("jpeg 2000 lossy", RGB, "JPEG2000", irreversible=True, quality_layers=[20])
save("jpeg 2000 codestream", RGB, "JPEG2000", no_jp2=True)
save("jpeg 2000 rgba", RGBA, "JPEG2000")
save("jpeg 2000 grey", GRAY, "JPEG2000")
save("jpeg 2000 in tiles", RGB, "JPEG2000", tile_size=(8, 8), num_resolutions=2)
save("jpeg 2000 of 16 bits", GRAY.astype(np.uint16) * 257 - 100, "JPEG2000")

save("bmp 24 bits", RGB, "BMP")
save("bmp 32 bits", RGBA, "BMP")
save("bmp 8 bits", GRAY, "BMP")
save("bmp 1 bit", GRAY > 100, "BMP")
save("ppm", RGB, "PPM")
save("pgm", GRAY, "PPM")
save("pbm", GRAY > 100, "PPM")

target = pathlib.Path(__file__).with_name("images.json")
target.write_text("{\n" + ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in cases.items()) + "\n}\n")
print(len(cases), "images,", target.stat().st_size, "bytes")
