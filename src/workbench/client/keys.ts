import { all, find } from '../../ui/client/page.ts'

/** Returns whether keys are text here. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Goes to the search. */
function search(): boolean {
  const field = find<HTMLInputElement>('#\\~q')
  field?.focus()
  field?.select()
  return field !== null
}

/** The change that was gone to last. */
let current: HTMLElement | undefined

/** Goes to the next change of the page, or to the one before. */
function goToChange(step: 1 | -1): boolean {
  const changes = all('[data-change]')
  const at = current ? changes.indexOf(current) : -1
  const next = changes[at === -1 ? (step === 1 ? 0 : changes.length - 1) : at + step]
  if (!next) return changes.length > 0
  current = next
  next.tabIndex = -1
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'center' })
  return true
}

/** Begins a comment at the block or line that has the focus, else on the page. */
function comment(): boolean {
  const place = document.activeElement?.closest('[data-change], [data-block]') ?? undefined
  const link = place && find('.plus', place)
  const field = find<HTMLTextAreaElement>('[data-comment] textarea')
  if (link) link.click()
  else field?.focus()
  return Boolean(link || field)
}

/** Shows the list of the keys, which is at the end of the page, in a dialog. */
function showKeys(): boolean {
  const list = find('#\\~keys dl')
  if (!list) return false
  const dialog = document.createElement('dialog')
  const title = document.createElement('h2')
  const close = document.createElement('button')
  title.textContent = 'Keys'
  Object.assign(close, { className: 'btn', textContent: 'Close', autofocus: true })
  close.onclick = () => dialog.close()
  dialog.className = 'keys'
  dialog.ariaLabel = 'Keys'
  dialog.append(title, list.cloneNode(true), close)
  dialog.onclose = () => dialog.remove()
  document.body.append(dialog)
  dialog.showModal()
  return true
}

/** Follows the link or presses the button that has a key. */
function press(key: string): boolean {
  const element = /^[a-z]$/.test(key) ? find(`[data-key="${key}"]`) : null
  element?.click()
  return element !== null
}

const actions: Readonly<Record<string, () => boolean>> = {
  '/': search,
  '?': showKeys,
  n: () => goToChange(1),
  p: () => goToChange(-1),
  c: comment,
}

/** Starts the keys of the page. */
export function startKeys(): void {
  addEventListener('keydown', event => {
    const { key, target, metaKey, ctrlKey, altKey } = event
    if (event.defaultPrevented || metaKey || ctrlKey || altKey || isTyping(target)) return
    if (find('dialog[open]')) return
    if (actions[key]?.() ?? press(key)) event.preventDefault()
  })
}
