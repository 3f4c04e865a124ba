import type { ComponentChildren } from 'preact'
import { useSurroundings } from './surroundings.ts'

/**
 * Returns a form, or several, that are folded until their button is pressed. They are unfolded where the
 * form is shown again with what was typed: `to` is its path, and `names` are those of the forms with
 * that path which are inside.
 */
export function Fold(props: {
  to: string
  names?: readonly string[]
  summary: ComponentChildren
  label?: string
  /** The summary looks like a button. */
  isButton?: boolean | 'primary'
  class?: string
  children: ComponentChildren
}) {
  const { to, names, summary, label, isButton, class: style, children } = props
  const { entered } = useSurroundings()
  const isAgain = entered?.to === to && (names?.includes(entered.name) ?? true)
  return (
    <details class={style} open={isAgain}>
      <summary
        class={isButton === 'primary' ? 'btn primary' : isButton ? 'btn' : undefined}
        aria-label={label}
      >
        {summary}
      </summary>
      {children}
    </details>
  )
}
