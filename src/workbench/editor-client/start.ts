import type { EditorView } from '@codemirror/view'
import { Images } from './add-images.ts'
import { type Draft, draftKey, findDraft, forgetOldDrafts, keepDraft } from './drafts.ts'
import { messageOf } from './message.ts'
import { showOneOfTwo } from './narrow.ts'
import { offerDraft } from './offer-draft.ts'
import { headingsOf, Preview, scrollTogether } from './preview.ts'
import { type Answer, send, sentences } from './saving.ts'
import { makeToolbar, type Toolbar } from './toolbar.ts'
import { headingHeights, keptState, openView, replaceText } from './view.ts'

/** The fields of a page, by the names of the form. */
const written = ['title', 'description', 'icon', 'cover', 'body'] as const
/** The longest history that is kept with a draft, in characters. */
const longestHistory = 300_000

function find<Kind extends Element>(form: Element, selector: string): Kind {
  const found = form.querySelector<Kind>(selector)
  if (!found) throw new Error(`The editor needs ${selector}.`)
  return found
}

/** Makes an editor of a form with a text area. */
export function startEditor(form: HTMLFormElement): void {
  new Editor(form).start()
}

class Editor {
  readonly #form: HTMLFormElement
  readonly #area: HTMLTextAreaElement
  readonly #status: HTMLElement
  readonly #pane: HTMLElement
  readonly #images: Images
  #view!: EditorView
  #preview!: Preview
  #toolbar: Toolbar | undefined
  #saved = ''
  #isSending = false
  /** The message that was filled in; another one is the writer's own. */
  #filled = ''
  #timer = 0

  constructor(form: HTMLFormElement) {
    this.#form = form
    this.#area = find(form, 'textarea[name=body]')
    this.#status = find(form, '[data-editor-status]')
    this.#pane = find(form, '[data-editor-preview]')
    this.#images = new Images({
      address: form.dataset.images ?? '',
      mostBytes: Number(form.dataset.mostBytes),
      csrf: () => this.#field('csrf').value,
      told: text => this.#tell(text),
    })
  }

  start(): void {
    const { data, draft } = this.#openDraft()
    this.#saved = this.#now()
    if (draft) this.#fill(draft.fields)
    this.#openView(data)
    this.#preview = new Preview(this.#pane, {
      address: this.#form.dataset.preview ?? '',
      fields: () => this.#fields(),
      told: text => this.#tell(text),
    })
    this.#toolbar = makeToolbar(find(this.#form, '[data-editor-toolbar]'), this.#view, this.#images)
    scrollTogether(
      { element: this.#view.scrollDOM, marks: () => headingHeights(this.#view) },
      { element: this.#pane, marks: () => headingsOf(this.#pane) },
    )
    this.#listen()
    showOneOfTwo(this.#form)
    this.#form.classList.add('is-live')
    if (draft) this.#preview.update(this.#area.value.length)
  }

  /** Returns the draft that this page was left with, and offers one of another revision. */
  #openDraft(): { data: unknown; draft: Draft | undefined } {
    const { space = '', page = '' } = this.#form.dataset
    forgetOldDrafts(localStorage, Date.now())
    if (this.#form.dataset.merged !== undefined) return { data: undefined, draft: undefined }
    const found = findDraft(localStorage, space, page)
    if (!found || sameFields(found.draft.fields, this.#values()))
      return { data: undefined, draft: undefined }
    const isHere = found.key === this.#key()
    const { draft } = found

    this.#offer(found.key, draft, isHere)
    return isHere ? { data: draft.state, draft } : { data: undefined, draft: undefined }
  }

  #offer(key: string, draft: Draft, isRestored: boolean): void {
    offerDraft(this.#form, draft.at, {
      discard: () => {
        localStorage.removeItem(key)
        if (isRestored) location.reload()
      },
      ...(!isRestored && {
        restore: () => {
          // The revision that was looked at then: what others saved since is merged.
          this.#field('revision').value = key.slice(key.lastIndexOf(' ') + 1)
          this.#fill(draft.fields)
          replaceText(this.#view, draft.fields.body ?? '')
        },
      }),
    })
  }

  #openView(former: unknown): void {
    const host = document.createElement('div')
    host.className = 'editor-source'
    this.#area.hidden = true
    this.#area.before(host)
    const label = this.#form.querySelector(`label[for="${this.#area.id}"]`)?.textContent ?? 'Text'
    const text = this.#area.value.replace(/\r\n?/g, '\n')

    this.#view = openView(host, {
      text,
      label,
      former,
      nonce: this.#form.dataset.nonce ?? '',
      links: this.#form.dataset.links ?? '',
      more: this.#images.extension(),
      onChange: view => {
        this.#area.value = view.state.doc.toString()
        this.#changed()
      },
      onMove: view => this.#toolbar?.update(view),
    })
  }

  #listen(): void {
    for (const name of written)
      if (name !== 'body') this.#field(name).addEventListener('input', () => this.#changed())
    this.#form.addEventListener('submit', event => {
      const button = event.submitter
      // The Enter key in a field: the preview is there already.
      if (button?.dataset.default !== undefined) return event.preventDefault()
      if (!(button instanceof HTMLButtonElement) || button.dataset.plain !== undefined) return
      event.preventDefault()
      void this.#send(button)
    })
    addEventListener('keydown', event => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's')
        return
      event.preventDefault()
      this.#form.querySelector<HTMLButtonElement>('button[value=save]')?.click()
    })
    addEventListener('beforeunload', event => {
      if (this.#isDirty()) event.preventDefault()
    })
    addEventListener('pagehide', () => this.#keep())
  }

  #changed(): void {
    this.#preview.update(this.#area.value.length)
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => this.#keep(), 400)
    this.#form.classList.toggle('is-dirty', this.#isDirty())
    this.#fillMessage()
  }

  /** Fills in what changed, unless the writer has said it. */
  #fillMessage(): void {
    const message = this.#field('message')
    if (message.value.trim() !== this.#filled) return
    const { title = '', body = '' } = this.#values()
    const before = JSON.parse(this.#saved) as { title: string; body: string }
    this.#filled = messageOf(before, { title, body })
    message.value = this.#filled
  }

  /** Keeps what is written in the browser, until it is saved. */
  #keep(): void {
    clearTimeout(this.#timer)
    const key = this.#key()
    if (!this.#isDirty()) {
      localStorage.removeItem(key)
      return
    }

    const state = keptState(this.#view)
    const isShort = JSON.stringify(state).length < longestHistory
    const draft = { fields: this.#values(), at: Date.now(), ...(isShort && { state }) }
    if (!keepDraft(localStorage, key, draft))
      this.#tell('This browser has no room to keep the text: save it soon.')
  }

  async #send(button: HTMLButtonElement): Promise<void> {
    if (this.#isSending) return
    if (this.#images.isSending)
      return this.#tell('An image is still being sent. Save when it is there.')
    this.#isSending = true
    this.#keep()
    this.#tell('Saving…')
    const key = this.#key()
    const sent = this.#now()
    const fields = this.#fields()
    fields.set(button.name, button.value)
    const outcome = await send(this.#form, fields)

    this.#isSending = false
    if (outcome.kind === 'saved') {
      this.#saved = sent
      localStorage.removeItem(key)
      this.#taken(outcome.answer, sent)
    } else if (outcome.kind === 'overlaps') {
      // The page that the server answers with shows both texts.
      this.#saved = sent
      button.dataset.plain = ''
      this.#form.requestSubmit(button)
    } else if (outcome.kind === 'refused') {
      if (outcome.csrf !== undefined) this.#field('csrf').value = outcome.csrf
      this.#tell(outcome.message)
    } else this.#tell(sentences[outcome.kind])
  }

  #taken({ to, notice = 'Saved.', revision, fields }: Answer, sent: string): void {
    // Without a revision to go on from, the work on this page is done.
    if (revision === undefined) {
      if (to !== undefined) location.assign(to)
      return
    }

    // What was typed since then is merged with the next text that is saved.
    if (fields && this.#now() !== sent) {
      this.#tell(notice)
      return
    }
    this.#field('revision').value = revision
    if (fields) {
      this.#fill(fields)
      replaceText(this.#view, this.#values().body ?? '')
      this.#saved = this.#now()
    }

    // The first text that is saved opens a change request, which has an address of its own.
    if (to !== undefined && to !== new URL(this.#form.action).pathname) {
      this.#form.action = to
      history.replaceState(null, '', to)
      const number = /\/changes\/(\d+)\//.exec(to)?.[1]
      const choice = this.#form.querySelector<HTMLSelectElement>('select[name=to]')
      if (choice && number !== undefined) {
        const isOffered = [...choice.options].some(({ value }) => value === number)
        if (!isOffered) choice.prepend(new Option(`#${number}`, number))
        choice.value = number
      }
    }

    // The next text that is saved has a message of its own.
    this.#field('message').value = this.#filled = ''
    this.#fillMessage()
    this.#tell(notice)
    this.#form.classList.toggle('is-dirty', this.#isDirty())
  }

  #isDirty(): boolean {
    return this.#now() !== this.#saved
  }

  #fill(fields: Record<string, string>): void {
    for (const name of written) {
      const value = fields[name]
      if (value !== undefined) this.#field(name).value = value
    }
  }

  #field(name: string): HTMLInputElement {
    return find<HTMLInputElement>(this.#form, `[name=${name}]`)
  }

  #values(): Record<string, string> {
    return Object.fromEntries(
      written.map(name => [name, this.#field(name).value.replace(/\r\n?/g, '\n')]),
    )
  }

  #now(): string {
    return JSON.stringify(this.#values())
  }

  #fields(): URLSearchParams {
    const fields = new URLSearchParams()
    for (const [name, value] of new FormData(this.#form))
      if (typeof value === 'string') fields.append(name, value)
    return fields
  }

  #key(): string {
    const { space = '', page = '' } = this.#form.dataset
    return draftKey(space, page, this.#field('revision').value)
  }

  #tell(text: string): void {
    this.#status.textContent = text
  }
}

const sameFields = (one: Record<string, string>, other: Record<string, string>): boolean =>
  written.every(name => (one[name] ?? '') === (other[name] ?? ''))
