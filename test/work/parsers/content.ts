import { documentFromMarkdown } from '../../../src/content/document/from-markdown.ts'
import { imageDimensions } from '../../../src/content/media.ts'
import { readSpec } from '../../../src/content/openapi/read.ts'
import { readYaml } from '../../../src/content/text/yaml.ts'
import { numbered, type Parser, times } from './parser.ts'

export const markdownParser: Parser = {
  name: 'Markdown of comments and descriptions',
  most: 100_000,
  forms: {
    'emphasis that does not end': bytes => times('*a **b _c ', bytes),
    'opening brackets': bytes => times('[', bytes),
    'links that do not end': bytes => times('[x](', bytes),
    'links in angle brackets': bytes => times('[x](<', bytes),
    images: bytes => times('![a](b.png) ', bytes),
    backquotes: bytes => numbered('`#', bytes),
    quotes: bytes => times('> ', bytes),
    'list items': bytes => times('* a\n', bytes),
    'nested lists': bytes => times('* ', bytes),
    definitions: bytes => numbered('[a#]: b\n\n', bytes),
    'rows of a table': bytes => `|a|b|\n|-|-|\n${times('|x|y|\n', bytes)}`,
    entities: bytes => times('&amp;&#x41;', bytes),
    'tags of HTML': bytes => times('<a b="', bytes),
    'addresses in angle brackets': bytes => times('<http://a ', bytes),
  },
  parse: (text: string) => documentFromMarkdown(text),
}

export const yamlParser: Parser = {
  name: 'YAML of front matter and settings',
  most: 64_000,
  forms: {
    keys: bytes => numbered('k#: v\n', bytes),
    'the same key': bytes => times('k: v\n', bytes),
    anchors: bytes => `a: &a x\n${times('- *a\n', bytes)}`,
    'items of a list': bytes => `[${times('a,', bytes)}]`,
    'errors on one line': bytes => times('@ ` ', bytes),
    'quotes that do not end': bytes => times('"\\n', bytes),
  },
  parse: (text: string) => readYaml(text, 64_000),
}

const spec = (rest: Record<string, unknown>) =>
  Buffer.from(
    JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {}, ...rest }),
  )

/** Returns an object with a value for each of so many numbers. */
const objectOf = (count: number, entry: (at: number) => [string, unknown]) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => entry(at)))

export const openapiParser: Parser = {
  name: 'OpenAPI specs',
  most: 400_000,
  forms: {
    operations: bytes =>
      spec({
        paths: objectOf(bytes / 60, at => [
          `/p${at}`,
          { get: { responses: { 200: { description: '' } } } },
        ]),
      }),
    schemas: bytes =>
      spec({ components: { schemas: objectOf(bytes / 40, at => [`S${at}`, { type: 'object' }]) } }),
    'references in a chain': bytes =>
      spec({
        components: {
          schemas: objectOf(bytes / 60, at => [
            `S${at}`,
            { $ref: `#/components/schemas/S${at + 1}` },
          ]),
        },
      }),
    'references to one schema': bytes =>
      spec({
        components: {
          schemas: {
            A: { type: 'string' },
            ...objectOf(bytes / 50, at => [`S${at}`, { $ref: '#/components/schemas/A' }]),
          },
        },
      }),
    'descriptions in Markdown': bytes =>
      spec({ info: { title: 'A', version: '1', description: times('*a **b [x](', bytes) } }),
    'aliases of YAML': bytes =>
      Buffer.from(
        `openapi: 3.1.0\ninfo: &a {title: A, version: '1'}\npaths: {}\nx-a:\n${times('  - *a\n', bytes)}`,
      ),
    'lines of YAML': bytes =>
      Buffer.from(
        `openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {}\n${numbered('x-#: a\n', bytes)}`,
      ),
  },
  parse: (bytes: Buffer) =>
    readSpec({ files: [{ address: 'spec', bytes }], entry: 'spec', unavailable: [] }),
}

const jpeg = (segment: Buffer) => (bytes: number) =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...Array<Buffer>(Math.floor(bytes / segment.length)).fill(segment),
  ])
const chunk = (head: string, name: string, size: number) => {
  const made = Buffer.alloc(12)
  made.writeUInt32BE(size, 0)
  made.write(name, 4)
  return (bytes: number) =>
    Buffer.concat([
      Buffer.from(head, 'latin1'),
      ...Array<Buffer>(Math.floor(bytes / 12)).fill(made),
    ])
}

export const imageParser: Parser = {
  name: 'the heads of images',
  most: 65_536,
  forms: {
    'segments of a JPEG': jpeg(Buffer.from([0xff, 0xe0, 0, 2])),
    'EXIF of a JPEG': jpeg(Buffer.from('\xff\xe1\x00\x10Exif\0\0MM\0*\0\0\0\x08', 'latin1')),
    'chunks of a PNG': chunk('\x89PNG\r\n\x1a\n', 'CgBI', 0),
    'chunks of a WebP': chunk('RIFF\xff\xff\0\0WEBP', 'VP8X', 0),
    'attributes of an SVG': bytes => Buffer.from(`<svg ${numbered('a#="1" ', bytes)}>`),
    'an SVG that does not end': bytes => Buffer.from(times('<svg ', bytes)),
    'comments before an SVG': bytes => Buffer.from(`${times('<!-- a -->', bytes)}<svg/>`),
    'entities of an SVG': bytes =>
      Buffer.from(`<!DOCTYPE svg [${numbered('<!ENTITY e# "a">', bytes)}]><svg/>`),
    'blanks in an SVG': bytes => Buffer.from(`<svg${times(' ', bytes)}`),
  },
  parse: (bytes: Buffer) => imageDimensions(bytes),
}
