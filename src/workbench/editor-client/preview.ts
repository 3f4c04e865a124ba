import { inStep, sameEnds } from './patch.ts'

/** Returns what is sent for a preview, and takes what comes back. */
type Asking = { address: string; fields: () => URLSearchParams; told: (text: string) => void }

/** With more characters than this, a preview waits until typing pauses. */
const longText = 150_000
const pauseMs = 500

/** Keeps an element in step with what is typed. */
export class Preview {
  readonly #pane: HTMLElement
  readonly #asking: Asking
  #shown: string[] = []
  #isAsking = false
  #isStale = false
  #timer = 0
  /** Called after the pane has changed. */
  onChange: () => void = () => {}

  constructor(pane: HTMLElement, asking: Asking) {
    this.#pane = pane
    this.#asking = asking
    this.#shown = writtenNodes(pane)
  }

  /** Shows what is typed now: at once, or when the answer that is under way has come. */
  update(length: number): void {
    clearTimeout(this.#timer)
    if (length > longText) this.#timer = window.setTimeout(() => this.#ask(), pauseMs)
    else void this.#ask()
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) {
      this.#isStale = true
      return
    }

    this.#isAsking = true
    try {
      do {
        this.#isStale = false
        const { address, fields } = this.#asking
        const reply = await fetch(address, {
          method: 'POST',
          body: fields(),
          headers: { accept: 'application/json' },
        })
        if (reply.ok && !reply.redirected)
          this.#show(((await reply.json()) as { html: string }).html)
        else this.#asking.told('The preview cannot be shown at the moment.')
      } while (this.#isStale)
    } catch {
      this.#asking.told('The preview cannot be shown: the server does not answer.')
    } finally {
      this.#isAsking = false
    }
  }

  /** Replaces the blocks that have changed, so that what is looked at stays where it is. */
  #show(html: string): void {
    const template = document.createElement('template')
    template.innerHTML = html
    const after = writtenNodes(template.content)
    const { head, tail } = sameEnds(this.#shown, after)
    const old = [...this.#pane.childNodes]
    const fresh = [...template.content.childNodes]

    // Something else, such as an extension of the browser, may have changed the list.
    if (old.length !== this.#shown.length) this.#pane.replaceChildren(...fresh)
    else {
      const next = old[old.length - tail] ?? null
      for (const node of old.slice(head, old.length - tail)) node.remove()
      for (const node of fresh.slice(head, fresh.length - tail)) this.#pane.insertBefore(node, next)
    }

    this.#shown = after
    this.onChange()
  }
}

const writtenNodes = (parent: ParentNode & Node): string[] =>
  [...parent.childNodes].map(node =>
    node instanceof Element ? node.outerHTML : (node.textContent ?? ''),
  )

type Pane = { element: HTMLElement; marks: () => number[] }

/** Scrolls two panes together, by the places of their headings. */
export function scrollTogether(one: Pane, other: Pane): void {
  let led: HTMLElement | undefined
  let timer = 0

  const follow = (from: Pane, to: Pane) => () => {
    if (led !== undefined && led !== from.element) return
    led = from.element
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      led = undefined
    }, 120)
    const [starts, ends] = [from.marks(), to.marks()]
    const isAlike = starts.length === ends.length
    const whole = (pane: Pane) => [0, pane.element.scrollHeight - pane.element.clientHeight]
    to.element.scrollTop = isAlike
      ? inStep(from.element.scrollTop, starts, ends)
      : inStep(from.element.scrollTop, whole(from), whole(to))
  }

  one.element.addEventListener('scroll', follow(one, other), { passive: true })
  other.element.addEventListener('scroll', follow(other, one), { passive: true })
}

/** Returns the heights at which the headings of a preview stand, with the beginning and the end. */
export function headingsOf(pane: HTMLElement): number[] {
  const top = pane.getBoundingClientRect().top - pane.scrollTop
  const heights = [...pane.querySelectorAll(':is(h2, h3, h4, h5, h6)')].map(
    heading => heading.getBoundingClientRect().top - top,
  )
  return [0, ...heights, pane.scrollHeight - pane.clientHeight]
}
