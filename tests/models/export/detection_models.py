"""The detection models."""


def detection_cases():
    return []
