import { all, find, keep, kept, onClick, visit } from '../../ui/client/page.ts'

const dialog = find<HTMLDialogElement>('#\\~search')
const form = dialog && find<HTMLFormElement>('form', dialog)
const field = dialog && find<HTMLInputElement>('input', dialog)
const found = dialog && find('.found', dialog)
const status = dialog && find('[role=status]', dialog)

let asking: AbortController | undefined
let chosen = -1
/**
 * The name of the scope that the reader limited the search to, as in the `in` parameter; '' for
 * none.
 */
let within = ''

const options = (): HTMLAnchorElement[] =>
  found ? all<HTMLAnchorElement>('[role=option]', found) : []

/** Moves the choice to a result: 0 is the first, and after the last comes the first again. */
function choose(index: number): void {
  const list = options()
  list[chosen]?.setAttribute('aria-selected', 'false')
  chosen = list.length === 0 ? -1 : (index + list.length) % list.length
  const option = list[chosen]
  option?.setAttribute('aria-selected', 'true')
  option?.scrollIntoView({ block: 'nearest' })
  if (option) field!.setAttribute('aria-activedescendant', option.id)
  else field!.removeAttribute('aria-activedescendant')
}

function show(html: string): void {
  found!.innerHTML = html
  chosen = -1
  const any = options().length > 0
  field!.ariaExpanded = String(any)
  choose(any ? 0 : -1)
  status!.textContent = find('.count', found!)?.textContent ?? ''
}

/**
 * Asks the server for results, and ends the question before. A thin line shows after 150 ms without
 * an answer.
 */
async function ask(address: URL): Promise<void> {
  asking?.abort()
  const question = new AbortController()
  asking = question
  const { signal } = question
  const timer = setTimeout(() => form!.classList.add('busy'), 150)

  try {
    address.searchParams.set('part', '1')
    const answer = await fetch(address, { signal })
    const html = answer.ok ? await answer.text() : ''
    if (signal.aborted) return
    show(html)
    if (!answer.ok) status!.textContent = status!.dataset.failed!
  } catch {
    if (!signal.aborted) status!.textContent = status!.dataset.failed!
  } finally {
    clearTimeout(timer)
    if (asking === question) form!.classList.remove('busy')
  }
}

function askWords(): void {
  const words = field!.value.trim()
  keep('stemmaSearch', words, visit)

  if (words) {
    const address = new URL(form!.action)
    address.searchParams.set('q', words)
    if (within) address.searchParams.set('in', within)
    ask(address)
  } else {
    asking?.abort()
    form!.classList.remove('busy')
    show('')
  }
}

function open(): void {
  if (dialog!.open) return
  // A popover would stay above the page, and below the dialog.
  for (const popover of all(':popover-open')) popover.hidePopover()
  dialog!.showModal()
  field!.value ||= kept('stemmaSearch', visit) ?? ''
  field!.select()
  if (field!.value && !found!.hasChildNodes()) askWords()
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing) return
  const moves: Record<string, () => void> = {
    ArrowDown: () => choose(chosen + 1),
    ArrowUp: () => choose(chosen - 1),
  }
  const option = options()[chosen]

  if (event.key === 'Enter' && option) {
    event.preventDefault()
    if (event.metaKey || event.ctrlKey) window.open(option.href, '_blank', 'noopener')
    else option.click()
  } else if (moves[event.key]) {
    event.preventDefault()
    moves[event.key]!()
  }
}

/** Searches for the words of a button in the text. */
function askFor(words: string): void {
  open()
  field!.value = words
  askWords()
}

/** Returns whether keys are text here: `/` is then a slash. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Starts the search dialog: ⌘K, Ctrl+K, `/` and the button of the header open it. */
export function startSearch(): void {
  if (!dialog || !field || !form || !found) return
  const mac = /Mac|iP(?:hone|ad)/.test(navigator.platform)
  const hint = find('#\\~find .keys')
  if (hint) hint.textContent = mac ? '⌘K' : 'Ctrl K'
  onClick('#\\~find', (_, event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
  onClick('[data-query]', button => askFor(button.dataset.query!))
  addEventListener('keydown', event => {
    const command =
      event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey
    const slash = event.key === '/' && !event.metaKey && !event.ctrlKey && !event.altKey
    if (!command && !(slash && !isTyping(event.target))) return
    event.preventDefault()
    open()
  })
  field.addEventListener('input', askWords)
  field.addEventListener('keydown', onKey)
  dialog.addEventListener('click', event => {
    const target = event.target as Element
    if (target === dialog || target.closest('[data-close]')) return dialog.close()
    const link = target.closest<HTMLAnchorElement>('.filters a, .count a')

    if (link) {
      event.preventDefault()
      if (link.matches('.count a')) field.value = link.textContent ?? ''
      const address = new URL(link.href)
      within = address.searchParams.get('in') ?? ''
      ask(address)
      field.focus()
    } else if (target.closest('[role=option]')) dialog.close()
  })
}
