import type { ComponentChildren } from 'preact'
import { useAt } from './surroundings.ts'

type LinkProps = {
  /** A path of the workbench, such as `/s/abc`. */
  to: string
  class?: string | undefined
  current?: boolean | undefined
  label?: string | undefined
  /** The key that follows it, of those that the page lists. */
  onKey?: string | undefined
  children: ComponentChildren
}

/** Returns a link to a path of the workbench. */
export function A({ to, class: name, current, label, onKey, children }: LinkProps) {
  const at = useAt()
  return (
    <a
      href={at(to)}
      class={name}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
      data-key={onKey}
    >
      {children}
    </a>
  )
}

/** Returns a link that looks like a button. */
export const ButtonLink = ({ class: name = '', ...rest }: LinkProps) => (
  <A {...rest} class={`btn ${name}`.trim()} />
)
