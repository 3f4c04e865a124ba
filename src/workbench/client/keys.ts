import { find } from '../../ui/client/page.ts'

/** Returns whether keys are text here. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Starts the keys of every page: `/` goes to the search. */
export function startKeys(): void {
  addEventListener('keydown', event => {
    const { key, target, metaKey, ctrlKey, altKey } = event
    if (key !== '/' || metaKey || ctrlKey || altKey || isTyping(target)) return
    const field = find<HTMLInputElement>('#\\~q')
    if (!field) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}
