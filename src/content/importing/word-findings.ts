const kinds: Readonly<Record<string, string>> = {
  paragraph: 'of paragraphs',
  run: 'of characters',
}

/** What mammoth says, and what that is in the words of an import. */
const known: readonly [RegExp, (...found: string[]) => string | undefined][] = [
  [
    /^Unrecognised (\w+) style: '(.*)' \(Style ID: (.*)\)$/s,
    (kind, name, id) =>
      `The style "${name === 'undefined' || name === 'null' ? id : name}" ${kinds[kind!] ?? ''} means nothing here. Its text was taken over without it.`,
  ],
  [
    /^\w+ style with ID (.*) was referenced but not defined in the document$/s,
    id => `The document does not define its style "${id}".`,
  ],
  [
    /^An unrecognised element was ignored: .*\boMath(?:Para)?$/s,
    () => 'Equations are not taken over. They were left out.',
  ],
  [
    /^An unrecognised element was ignored: (?:\{.*\})?(.*)$/s,
    name => `The element <${name}> of Word is not known. It was left out.`,
  ],
  // The picture is left out with a sentence of ours.
  [/^Image of type .* is unlikely to display in web browsers$/s, () => undefined],
  [
    /^could not read external image '(.*)', external file access is disabled$/s,
    address => `A picture is not in the document, but at "${address}". It was left out.`,
  ],
]

/** Returns a message of mammoth as a sentence of a finding; none for what another finding says. */
export function sentenceOf(message: string): string[] {
  for (const [pattern, say] of known) {
    const found = pattern.exec(message)
    if (found) {
      const sentence = say(...found.slice(1))
      return sentence === undefined ? [] : [sentence]
    }
  }
  return [/[.!?]$/.test(message) ? message : `${message}.`]
}

/** Parts of a document that mammoth passes over without a message. */
const passedOver: readonly [RegExp, string][] = [
  [/^word\/comments\.xml$/, 'comments'],
  [/^word\/(?:header|footer)\d*\.xml$/, 'headers and footers'],
  [/^word\/charts\//, 'charts'],
  [/^word\/diagrams\//, 'diagrams'],
  [/^word\/embeddings\//, 'embedded files'],
  [/^word\/vbaProject/, 'macros'],
]

/** Returns a sentence about what a document has in other parts; undefined if there is nothing. */
export function partsLeftOut(names: readonly string[]): string | undefined {
  const left = passedOver.flatMap(([pattern, what]) =>
    names.some(name => pattern.test(name)) ? [what] : [],
  )
  if (left.length === 0) return undefined
  return `The document has ${new Intl.ListFormat('en').format(left)}, which imports do not take over.`
}
