"""A window that shows pictures, for `render_mode="human"`."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from cardgym.errors import missing


class Window:
    """A window of pygame, opened with the first picture."""

    def __init__(self, title: str, fps: int) -> None:
        """A window with a title, which shows at most `fps` pictures a second.

        Raises:
            CardgymError: without pygame.
        """
        try:
            import pygame
        except ModuleNotFoundError as error:
            raise missing('render_mode="human"', error) from None
        self._pygame = pygame
        self._title = title
        self._fps = fps
        self._screen: Any = None
        self._clock = pygame.time.Clock()

    def show(self, picture: npt.NDArray[np.uint8]) -> None:
        """Show a picture, (height, width, 3), and wait until the next one is due."""
        pygame = self._pygame
        if self._screen is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._screen = pygame.display.set_mode((picture.shape[1], picture.shape[0]))
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
