import { hasWords, titleOfReference } from '../markup/blocks.ts'
import { isBlank } from '../markup/lines.ts'
import { isElement, type MarkupElement, type MarkupNode, wordsIn } from '../markup/tree.ts'
import { nameOfTarget } from '../text/name-of-target.ts'
import { writeInlines } from './inline.ts'
import { writeListing } from './listing.ts'
import {
  boxed,
  call,
  hasRoom,
  linked,
  linkOf,
  literal,
  type Sheet,
  write,
  writeWords,
} from './sheet.ts'

const styles = new Set(['info', 'success', 'warning', 'danger'])

/** Splits nodes into the elements of one name and the rest. */
const split = (
  nodes: readonly MarkupNode[],
  name: string,
): { found: MarkupElement[]; rest: MarkupNode[] } => ({
  found: nodes.filter(isElement).filter(node => node.name === name),
  rest: nodes.filter(node => !(isElement(node) && node.name === name)),
})

function writeHint(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  const style = styles.has(attributes.style ?? '') ? attributes.style! : 'info'
  boxed(sheet, `hint(${literal(style)}, `, () => sheet.blocks(nodes))
}

const writeTab = (sheet: Sheet, { attributes, nodes }: MarkupElement): void =>
  boxed(sheet, `tab(${literal((attributes.title ?? '').slice(0, 300))}, `, () =>
    sheet.blocks(nodes),
  )

function writeCode(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  const filled = nodes.filter(node => !isBlank(node))
  const [pre] = filled
  if (filled.length !== 1 || !pre || !isElement(pre) || pre.name !== 'pre') {
    sheet.blocks(nodes)
    return
  }

  const named = /(?:^|\s)lang(?:uage)?-(\S+)/.exec(pre.attributes.class ?? '')?.[1]
  const numbers = /^(?:true|\d+)$/.test(
    attributes.linenumbers ?? pre.attributes['data-line-numbers'] ?? '',
  )
  const title = attributes.title ?? pre.attributes['data-title'] ?? pre.attributes.title ?? ''

  writeListing(sheet, wordsIn(pre), pre.attributes.lang ?? named ?? '', title, numbers)
}

function writeStepper(sheet: Sheet, { nodes }: MarkupElement): void {
  const { found, rest } = split(nodes, '%step')
  for (const [at, step] of found.entries())
    boxed(sheet, `step(${at + 1}, `, () => sheet.blocks(step.nodes))
  sheet.blocks(rest)
}

const mostColumns = 4

function writeColumns(sheet: Sheet, { nodes }: MarkupElement): void {
  const { found, rest } = split(nodes, '%column')
  if (found.length === 0 || found.length > mostColumns || !hasRoom(sheet)) {
    for (const column of found) sheet.blocks(column.nodes)
  } else {
    const shares = found.map(({ attributes }) =>
      Number(/^(\d{1,3})(?:\.\d+)?%$/.exec(attributes.width ?? '')?.[1] ?? 0),
    )
    const widths = shares.map(share => `${share >= 5 ? share : Math.floor(100 / found.length)}fr`)
    write(sheet, `beside((${widths.join(', ')},), `)
    sheet.depth++

    for (const column of found) {
      write(sheet, '{[];')
      sheet.blocks(column.nodes)
      write(sheet, '}, ')
    }

    sheet.depth--
    write(sheet, ');\n')
  }

  sheet.blocks(rest)
}

/** Writes a box with a link: its title, and the address and some words below. */
function writeReference(
  sheet: Sheet,
  target: string,
  title: string,
  words: readonly MarkupNode[],
): void {
  const link = linkOf(sheet, target)
  const page = link && 'page' in link ? sheet.printing.titles.get(link.page) : undefined
  const address = link && 'url' in link ? link.url : ''
  const shown = page ?? (title || address || nameOfTarget(target))

  call(sheet, 'reference(', () => {
    sheet.spaced = true
    linked(sheet, link, () => writeWords(sheet, shown))
    if (address !== '' && address !== shown)
      call(sheet, 'beneath(', () => writeWords(sheet, ` ${address}`))

    if (hasWords(words))
      call(sheet, 'beneath(', () => {
        sheet.spaced = true
        writeInlines(sheet, words)
      })
  })
}

function writeFile(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  const words = attributes.caption ? [attributes.caption] : nodes
  writeReference(sheet, attributes.src ?? '', nameOfTarget(attributes.src ?? ''), words)
}

function writeContentReference(sheet: Sheet, node: MarkupElement): void {
  const { url, page = '' } = node.attributes
  const title = titleOfReference(node)
  writeReference(sheet, url ?? page, title ?? '', [])
  if (title === undefined) sheet.blocks(node.nodes)
}

function writeOpenapi(sheet: Sheet, node: MarkupElement): void {
  const { attributes, nodes } = node
  const links = (inner: MarkupNode): boolean =>
    isBlank(inner) ||
    (isElement(inner) &&
      (inner.name === 'a' ||
        ((inner.name === 'p' || inner.name === 'group') && inner.nodes.every(links))))

  if (!nodes.every(links)) {
    sheet.blocks(nodes)
    return
  }

  const method = (attributes.method ?? '').toUpperCase()
  const what = attributes.path ?? attributes.name ?? attributes.schemas ?? attributes.spec ?? ''

  writeReference(sheet, attributes.src ?? '', `${method} ${what}`.trim().slice(0, 300), [])
}

const line = (...nodes: MarkupNode[]): MarkupElement => ({
  name: 'p',
  attributes: {},
  nodes,
  blocks: false,
})
const inline = (name: 'strong' | 'code', words: string): MarkupElement => ({
  name,
  attributes: {},
  nodes: [words],
  blocks: false,
})

/** Writes a line with a name in bold and some details, and then the content of the tag. */
function writeNamed(
  sheet: Sheet,
  { nodes }: MarkupElement,
  name: string,
  details: readonly (string | undefined)[],
): void {
  const words = details.filter(each => each !== undefined && each !== '').join(', ')
  if (name !== '')
    sheet.blocks([line(inline('strong', name.slice(0, 500)), words && ` ${words.slice(0, 1000)}`)])
  sheet.blocks(nodes)
}

function writeSwagger(sheet: Sheet, node: MarkupElement): void {
  const { method = '', path = '', baseurl = '', summary = '' } = node.attributes
  if (summary !== '') sheet.blocks([line(inline('strong', summary.slice(0, 500)))])
  const called = `${method.toUpperCase()} ${baseurl}${path}`.trim().slice(0, 1000)
  if (called !== '') sheet.blocks([line(inline('code', called))])
  sheet.blocks(node.nodes)
}

function writeParameter(sheet: Sheet, node: MarkupElement): void {
  const { name = '', in: where, type, required } = node.attributes
  writeNamed(sheet, node, name, [where, type, required === 'true' ? 'required' : ''])
}

function writeUpdate(sheet: Sheet, { attributes, nodes }: MarkupElement): void {
  const tags = (attributes.tags ?? '').split(',').map(tag => tag.trim())
  const shown = tags.filter(tag => tag !== '').slice(0, 20)
  const names = shown.map(tag => literal(tag.slice(0, 60))).join(', ')
  boxed(
    sheet,
    `update(${literal((attributes.date ?? '').slice(0, 40))}, (${names}${names && ','}), `,
    () => sheet.blocks(nodes),
  )
}

const writePrompt = (sheet: Sheet, { attributes, nodes }: MarkupElement): void =>
  boxed(sheet, `tab(${literal((attributes.description ?? 'Prompt').slice(0, 300))}, `, () =>
    sheet.blocks(nodes),
  )

function writeIntegration(sheet: Sheet, { name, attributes, nodes }: MarkupElement): void {
  const { url, content } = attributes
  if (url) writeReference(sheet, url, '', [])
  else if (content) writeListing(sheet, content, '', name.slice(2), false)
  sheet.blocks(nodes)
}

const writers: Readonly<Record<string, (sheet: Sheet, node: MarkupElement) => void>> = {
  '%hint': writeHint,
  '%tab': writeTab,
  '%code': writeCode,
  '%stepper': writeStepper,
  '%columns': writeColumns,
  '%content-ref': writeContentReference,
  '%page-ref': writeContentReference,
  '%embed': (sheet, { attributes, nodes }) =>
    writeReference(sheet, attributes.url ?? '', '', nodes),
  '%file': writeFile,
  '%update': writeUpdate,
  '%prompt': writePrompt,
  '%swagger': writeSwagger,
  '%swagger-parameter': writeParameter,
  '%swagger-response': (sheet, node) =>
    writeNamed(sheet, node, node.attributes.status ?? '', [node.attributes.description]),
}

/** Writes a block tag. An unknown one is written as its content. */
export function writeBox(sheet: Sheet, node: MarkupElement): void {
  const writer = Object.hasOwn(writers, node.name) ? writers[node.name]! : null
  if (writer) writer(sheet, node)
  else if (node.name.startsWith('%openapi')) writeOpenapi(sheet, node)
  else if (node.name.startsWith('%@')) writeIntegration(sheet, node)
  else sheet.blocks(node.nodes)
}
