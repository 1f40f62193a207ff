"""The text models."""


def text_cases():
    return []
