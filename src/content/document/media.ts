import {
  attributes,
  type DocumentNode,
  html,
  inlines,
  targetOf,
  type Writing,
  wordsOf,
} from './inline.ts'

type Write = (writing: Writing, node: DocumentNode) => string
type Tag = (name: string, values?: Record<string, unknown>) => string

function size(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('value' in value)) return value
  return `${wordsOf(value.value)}${'unit' in value && value.unit === '%' ? '%' : ''}`
}

function figure(writing: Writing, node: DocumentNode): string {
  const { ref, refDark, alt, width, height } = node.data ?? {}
  const src = targetOf(writing, ref)
  if (src === null) return ''

  const image = `<img src="${html(src)}" alt="${html(alt)}"${attributes({ width: size(width), height: size(height) })}>`
  const dark = targetOf(writing, refDark)
  const source =
    dark === null ? '' : `<source srcset="${html(dark)}" media="(prefers-color-scheme: dark)">`
  const picture = dark === null ? image : `<picture>${source}${image}</picture>`
  const caption = (node.fragments ?? [])
    .flatMap(({ nodes }) => nodes ?? [])
    .map(line => inlines(writing, line.nodes).trim())
    .filter(text => text !== '')
    .map(text => `<p>${text}</p>`)
    .join('')

  return `<figure>${picture}<figcaption>${caption}</figcaption></figure>`
}

function images(writing: Writing, node: DocumentNode): string {
  const { align, fullWidth, withFrame } = node.data ?? {}
  const figures = (node.nodes ?? []).map(image => figure(writing, image)).join(' ')
  const side = align === 'left' || align === 'right' ? align : undefined
  const look = attributes({
    align: side,
    'data-full-width': fullWidth,
    'data-with-frame': withFrame,
  })

  return look === '' || figures === '' ? figures : `<div${look}>${figures}</div>`
}

function drawing(writing: Writing, node: DocumentNode): string {
  const src = targetOf(writing, node.data?.ref)
  return src === null ? '' : `<img src="${html(src)}" alt="" class="gitbook-drawing">`
}

/** Returns the writers of media blocks, and of blocks that are written as a single tag. */
export function mediaBlocks(tag: Tag): [string, Write][] {
  const referring =
    (name: string, key: string): Write =>
    (writing, node) => {
      const target = targetOf(writing, node.data?.ref)
      return target === null ? '' : tag(name, { [key]: target })
    }

  const openApi =
    (name: string): Write =>
    (writing, { data = {} }) => {
      const { ref, path, method, schemas, grouped, title, name: hook } = data
      const known = typeof ref === 'object' && ref !== null && 'spec' in ref ? ref.spec : undefined
      const source = known === undefined ? { src: targetOf(writing, ref) } : { spec: known }
      const list = Array.isArray(schemas) ? schemas.map(wordsOf).join(',') : undefined
      return `${tag(name, { ...source, name: hook, path, method, schemas: list, grouped, title })}\n{% end${name} %}`
    }

  const integration: Write = (_writing, { data = {} }) => {
    const props = Object.entries((data.props ?? {}) as Record<string, unknown>)
    const flat = props.map(([key, value]) => [
      key,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ])

    return tag(`@${wordsOf(data.integration)}/${wordsOf(data.block)}`, {
      ...Object.fromEntries(flat),
      url: data.url,
      fullWidth: data.fullWidth,
    })
  }

  return [
    ['image', figure],
    ['images', images],
    ['drawing', drawing],
    ['file', referring('file', 'src')],
    [
      'embed',
      (_writing, { data = {} }) => tag('embed', { url: data.url, fullWidth: data.fullWidth }),
    ],
    [
      'reusable-content',
      (writing, node) => {
        const target = targetOf(writing, node.data?.ref)
        return target === null ? '' : `{% include "${target.replaceAll('"', '%22')}" %}`
      },
    ],
    ['integration', integration],
    ['swagger', openApi('openapi')],
    ['openapi-operation', openApi('openapi-operation')],
    ['openapi-schemas', openApi('openapi-schemas')],
    ['openapi-webhook', openApi('openapi-webhook')],
  ]
}
