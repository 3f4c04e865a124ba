import { all, find, onClick } from './page.ts'

const { copy = '', copied = '' } = document.documentElement.dataset

/** Shows for a moment that something was copied, and says so to screen readers. */
function confirm(button: HTMLElement, before: string): void {
  button.textContent = copied
  button.classList.add('done')
  setTimeout(() => {
    button.textContent = before
    button.classList.remove('done')
  }, 1500)
}

/**
 * Returns the text of a code block without line numbers and without lines that a change removed.
 */
function textOf(code: HTMLElement): string {
  const clone = code.cloneNode(true) as HTMLElement
  for (const removed of all('del', clone)) removed.remove()
  return clone.textContent ?? ''
}

/** Adds a button to each code block that copies its text. */
export function startCopy(): void {
  for (const figure of all('.code')) {
    const code = find('code', figure)
    if (!code) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = copy
    button.ariaLive = 'polite'
    button.onclick = async () => {
      await navigator.clipboard.writeText(textOf(code))
      confirm(button, copy)
    }
    figure.append(button)
  }
  onClick('.anchor', anchor => {
    navigator.clipboard?.writeText((anchor as HTMLAnchorElement).href).catch(() => {})
  })
}

/** Starts the actions of a page that need a script: copying its Markdown, and its address. */
export function startActions(): void {
  onClick('[data-action]', async button => {
    const href = new URL(button.dataset.href || location.href, location.href).href
    const before = button.textContent ?? ''
    const text =
      button.dataset.action === 'link'
        ? Promise.resolve(href)
        : fetch(href).then(answer => answer.text())

    // The clipboard takes a promise: some browsers refuse writes after a wait.
    const blob = text.then(value => new Blob([value], { type: 'text/plain' }))

    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
    confirm(button, before)
  })
}
