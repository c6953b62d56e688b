"""What Triton finds by the entry point `triton.backends` where this package is installed.

Triton imports `compiler` and `driver` while it is being imported itself, in every program that uses it, so that they do no more
than to say whether they are asked for: the environment variable `WAVEMARK_ARCH` names a processor, while
`TRITON_LIBHIP_PATH` names no HIP runtime, such as our stand-in for AMD's own driver; or `TRITON_DEFAULT_BACKEND` is `wavemark`.
"""
