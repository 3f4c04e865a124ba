import type { ComponentChildren } from 'preact'
import { Drawn } from '../../ui/parts/icon.tsx'
import { Menu } from '../../ui/parts/menu.tsx'

/** Returns the button that opens what else can be done on a page: items of a list. */
export const More = ({ children }: { children: ComponentChildren }) => (
  <Menu id="~more" class="btn icon" label="More" button={<Drawn name="more" />}>
    <ul class="plain">{children}</ul>
  </Menu>
)
