import { all, onClick } from '../../ui/client/page.ts'
import { readBody } from './call-answer.ts'
import { fill, input, labelled, make, select } from './call-parts.ts'
import { type Call, type Credential, type Filled, requestOf } from './call-request.ts'
import { sessionIn, withSession } from './call-session.ts'

const words = JSON.parse(document.documentElement.dataset.tryWords!) as Readonly<
  Record<string, string>
>
const word = (name: string, values: Readonly<Record<string, string | number>> = {}): string =>
  fill(words[name] ?? '', values)

/** How long an answer may take, in seconds. */
const patience = 30

let forms = 0

/**
 * Adds the form of a call below its button if that is expanded and has none yet, and moves the
 * focus into it.
 */
async function openCall(button: HTMLElement): Promise<void> {
  const holder = button.parentElement!
  if (button.ariaExpanded !== 'true' || holder.dataset.opened) return
  holder.dataset.opened = '1'
  const { call, signIn } = await withSession(JSON.parse(holder.dataset.call!) as Call)
  const section = make('section', {
    id: `~call-${++forms}`,
    className: 'call',
    ariaLabel: button.textContent,
    hidden: button.ariaExpanded !== 'true',
  })
  const status = make('p', { role: 'status' })
  const answer = make('div')
  const form = formOf(call, signIn, status, answer)

  section.append(form, status, answer)
  holder.append(section)
  button.setAttribute('aria-controls', section.id)
  form.querySelector<HTMLElement>('input, select, textarea, button')!.focus()
}

/** Returns the form of a call, which shows its answer in elements below it. */
function formOf(
  call: Call,
  signIn: string | undefined,
  status: HTMLElement,
  answer: HTMLElement,
): HTMLFormElement {
  const form = make('form', { autocomplete: 'off', noValidate: false })
  const { parts, filled } = fieldsOf(call)
  const address = make('code')
  const send = make('button', { type: 'submit', className: 'btn primary' })
  /** Whether the next click sends a change with the session of the reader. */
  let isSure = false
  const show = () => {
    // A key in the query stays as hidden as its field.
    const built = requestOf(call, { ...filled(), secrets: [] })
    address.textContent = `${call.method} ${'url' in built ? built.url : ''}`
    send.textContent = word('trySend')
    isSure = false
  }
  const hint = signIn === undefined ? [] : [make('a', { href: signIn }, word('trySignIn'))]

  form.oninput = show
  show()
  form.append(
    ...parts,
    ...hint.map(link => make('p', {}, link)),
    make('p', { className: 'address' }, address),
    make('p', {}, send),
    ...notesOf(call).map(text => make('p', { className: 'small', textContent: text })),
  )
  let busy: AbortController | undefined

  form.onsubmit = async event => {
    event.preventDefault()
    if (busy) return busy.abort()
    const session = sessionIn(call, filled().way)
    if (session && !isRead(call) && !isSure) {
      isSure = true
      send.textContent = word('tryConfirm', { method: call.method, name: session.name })
      return
    }
    busy = new AbortController()
    send.textContent = word('tryCancel')
    status.textContent = word('trySending')
    answer.replaceChildren()
    status.textContent = await sent(call, filled(), busy, answer)
    busy = undefined
    show()
  }

  return form
}

const isRead = ({ method }: Call): boolean => /^(?:GET|HEAD)$/.test(method)

/** Returns the controls of a form, and what reads them. */
function fieldsOf(call: Call): { parts: HTMLElement[]; filled: () => Filled } {
  const parts: HTMLElement[] = []
  const server = select(call.servers)
  parts.push(
    call.servers.length > 1
      ? labelled(word('tryServer'), '', server)
      : make('p', {}, `${word('tryServer')}: `, make('code', { textContent: call.servers[0]! })),
  )
  const { fieldset: auth, way, secrets } = authOf(call)
  if (auth) parts.push(auth)

  const values = call.fields.map(({ value, values, required }) =>
    values ? select(required ? values : ['', ...values], value) : input({ value, required }),
  )

  if (values.length > 0)
    parts.push(
      group(
        word('tryParameters'),
        ...call.fields.map(({ name, in: where, required, joint }, at) => {
          const hints = [
            where,
            ...(required ? [word('tryRequired')] : []),
            ...(joint ? [word('tryList')] : []),
          ]
          return labelled(name, hints.join(', '), values[at]!)
        }),
      ),
    )

  const { fieldset: bodies, body } = bodyOf(call)
  if (bodies) parts.push(bodies)

  const filled = (): Filled => ({
    server: server.value,
    values: values.map(({ value }) => value),
    way: way(),
    secrets: secrets(),
    body: body(),
  })

  return { parts, filled }
}

const group = (title: string, ...parts: Node[]): HTMLFieldSetElement =>
  make('fieldset', {}, make('legend', { textContent: title }), ...parts)

function authOf(call: Call): {
  fieldset: HTMLElement | undefined
  way: () => number
  secrets: () => string[][]
} {
  const ways = call.auth.map(way =>
    way.map(({ kind }) =>
      kind === 'session' ? [] : kind === 'basic' ? [input({}), secret()] : [secret()],
    ),
  )
  const choice = select(call.auth.map((_, at) => String(at)))
  for (const [at, way] of call.auth.entries())
    choice.options[at]!.textContent = way.map(labelOf).join(' + ') || word('tryNone')
  const boxes = call.auth.map((way, at) =>
    make(
      'div',
      { hidden: at > 0 },
      ...way.flatMap((credential, which) => {
        const [first, second] = ways[at]![which]!
        if (!first) return []
        const hint =
          credential.kind === 'key' ? `${credential.in}: ${credential.name}` : credential.label
        if (second)
          return [
            labelled(word('tryUser'), hint, first),
            labelled(word('tryPassword'), hint, second),
          ]

        return [
          labelled(credential.kind === 'key' ? credential.label : word('tryToken'), hint, first),
        ]
      }),
    ),
  )

  choice.onchange = () => {
    for (const [at, box] of boxes.entries()) box.hidden = at !== choice.selectedIndex
  }
  const title = word('tryAuthorization')
  const fieldset =
    call.auth.length > 1
      ? make('div', {}, labelled(title, '', choice), ...boxes)
      : group(title, ...boxes)

  return {
    fieldset: call.auth.length > 0 ? fieldset : undefined,
    way: () => Math.max(0, choice.selectedIndex),
    secrets: () =>
      (ways[Math.max(0, choice.selectedIndex)] ?? []).map(all => all.map(({ value }) => value)),
  }
}

const labelOf = (credential: Credential): string =>
  credential.kind === 'session' ? word('trySession', credential) : credential.label

const secret = (): HTMLInputElement => input({ type: 'password' })

function bodyOf({ bodies }: Call): {
  fieldset: HTMLElement | undefined
  body: () => Filled['body']
} {
  const [first] = bodies
  if (!first) return { fieldset: undefined, body: () => undefined }
  const type = select(bodies.map(each => each.type))
  const text = make('textarea', { value: first.text, rows: 8, spellcheck: false })
  let shown = first.text

  type.onchange = () => {
    const next = bodies[type.selectedIndex]!.text
    // What the reader wrote stays.
    if (text.value === shown) text.value = next
    shown = next
  }
  const chooser = bodies.length > 1 ? [labelled(word('tryContentType'), '', type)] : []
  const hint = bodies.length > 1 ? '' : first.type

  return {
    fieldset: make('div', {}, ...chooser, labelled(word('tryBody'), hint, text)),
    body: () => ({ type: type.value, text: text.value }),
  }
}

const notesOf = ({ left, files }: Call): string[] => [
  ...(left.length > 0 ? [word('tryLeft', { names: left.join(', ') })] : []),
  ...(files ? [word('tryFiles')] : []),
  word('tryPrivacy'),
]

/** Sends a request and shows its answer. Returns a sentence about it. */
async function sent(
  call: Call,
  filled: Filled,
  { signal }: AbortController,
  answer: HTMLElement,
): Promise<string> {
  const built = requestOf(call, filled)
  if ('bad' in built) return word('tryBad', { name: built.bad })
  const timeout = AbortSignal.timeout(patience * 1000)
  const started = performance.now()

  try {
    const got = await fetch(built.url, {
      method: call.method,
      headers: built.headers,
      ...(built.body !== undefined && { body: built.body }),
      mode: 'cors',
      credentials: sessionIn(call, filled.way) ? 'same-origin' : 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.any([signal, timeout]),
    })
    const ms = Math.round(performance.now() - started)
    await show(got, answer)

    return word('tryAnswered', { status: `${got.status} ${got.statusText}`.trim(), ms })
  } catch {
    if (signal.aborted) return word('tryCancelled')
    if (timeout.aborted) return word('tryTimeout', { seconds: patience })
    const isBlocked = location.protocol === 'https:' && built.url.startsWith('http:')
    return word(isBlocked ? 'tryInsecure' : 'tryFailed')
  }
}

async function show(got: Response, answer: HTMLElement): Promise<void> {
  const { text, isText, bytes, cut } = await readBody(got)
  const headers = [...got.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const note = bytes === 0 ? 'tryEmpty' : !isText ? 'tryBinary' : cut ? 'tryCut' : undefined
  const parts: HTMLElement[] = []

  if (headers !== '')
    parts.push(
      make('details', {}, make('summary', { textContent: word('tryHeaders') }), codeOf(headers)),
    )

  if (bytes > 0 && isText) parts.push(make('p', { textContent: word('tryAnswer') }), codeOf(text))
  if (note) parts.push(make('p', { className: 'small', textContent: word(note, { bytes }) }))
  answer.replaceChildren(...parts)
}

/** Returns a text as code: it never becomes elements. */
const codeOf = (text: string): HTMLElement =>
  make('pre', { tabIndex: 0 }, make('code', { textContent: text }))

// The page's own script, which answers clicks first, loads this one at the first of them.
onClick('.try > button', openCall)
for (const button of all('.try > button')) openCall(button)
