import type { ComponentChildren } from 'preact'

/** A link of a header, a menu or a list. */
export type FrameLink = { title: string; href: string; external?: boolean }

/**
 * Returns a button and the menu that it opens. The browser closes it on Esc and on a click
 * elsewhere, without a script.
 */
export function Menu(props: {
  id: string
  label?: string | undefined
  class?: string
  button: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <>
      <button
        class={props.class ?? 'btn'}
        type="button"
        popovertarget={props.id}
        aria-label={props.label}
        title={props.label}
      >
        {props.button}
      </button>
      <div class="menu" id={props.id} popover="auto">
        {props.children}
      </div>
    </>
  )
}

/** Returns links as a list. */
export function Links({ links }: { links: readonly (FrameLink & { current?: boolean })[] }) {
  return (
    <ul class="plain">
      {links.map(link => (
        <li>
          <a href={link.href} rel={relOf(link)} aria-current={link.current ? 'true' : undefined}>
            {link.title}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Returns the `rel` of a link: other servers do not learn from which window they were opened. */
export function relOf(link: FrameLink): string | undefined {
  return link.external ? 'noopener' : undefined
}
