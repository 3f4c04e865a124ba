import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { png } from '../../support/media/png.ts'
import { hasPoppler, textOfPdf, urlsOfPdf } from '../../support/media/poppler.ts'
import { importOf } from '../import.ts'
import { call, type Line, line, must, type Seen } from '../line.ts'
import { file, makeRepository } from '../objects.ts'
import type { Stage } from '../stage.ts'

let made = 0
const canRead = hasPoppler()

type Print = { pdf: Buffer; text: string }

/** Imports these files and opens the URL of their PDF; `holds` checks it if it can be read. */
const printing =
  (contents: Record<string, string | Buffer>, holds: (print: Print) => void = () => {}) =>
  async (stage: Stage): Promise<Seen> => {
    const name = `pdf-${made++}`
    const repo = makeRepository(stage.folder, name)
    repo.commit(
      repo.tree(Object.entries(contents).map(([path, content]) => file(path, repo.blob(content)))),
    )
    const done = await importOf(stage, name)
    if (done.status !== 'success') return done

    const begun = await stage.call('GET', `/v1/spaces/${done.space}/pdf`)
    const seen = begun.status === 200 ? await open(stage, begun) : begun

    await stage.call('DELETE', `/v1/spaces/${done.space}`)
    if (seen.status !== 200) return seen

    const pdf = Buffer.from(seen.text, 'latin1')

    must(pdf.toString('latin1', 0, 5) === '%PDF-', 'it is no PDF')
    const text = canRead ? textOfPdf(pdf).join('\n') : ''
    if (canRead) holds({ pdf, text })

    return { ...seen, text }
  }

async function open(stage: Stage, begun: Seen): Promise<Seen> {
  const { pathname, search } = new URL((JSON.parse(begun.text) as { url: string }).url)
  return stage.call('GET', pathname + search, { as: 'nobody' })
}

const page = (text: string) => ({ 'README.md': text })
const shown = ({ text }: Print) => must(text.includes('Shown'), 'the page is not there')
const svg = (inside: string, size = 100) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${size}" height="${size}">${inside}</svg>`
const drawn = (image: string | Buffer, name = 'a.svg') => ({
  'README.md': `# Shown\n\n![left out](${name})\n`,
  [name]: image,
})

/**
 * Text and images that refer to other hosts or local files: no host is contacted, and no local file
 * is in the PDF.
 */
const asking = async (stage: Stage): Promise<Seen> => {
  let asked = 0
  const listener = createServer((_, res) => {
    asked++
    res.end()
  })

  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  const far = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const targets = [
    far,
    'http://169.254.169.254/latest/',
    'file:///etc/passwd',
    '/etc/passwd',
    '../../../etc/passwd',
  ]
  const images = targets.map((target, i) =>
    svg(`<image href="${target}" xlink:href="${target}" width="9" height="9"/>`.repeat(i + 1)),
  )
  const text = [
    '# Shown',
    ...targets.flatMap(target => [
      `![a](${target})`,
      `<img src="${target}">`,
      `<iframe src="${target}"></iframe>`,
    ]),
    ...images.map((_, i) => `![left out](${i}.svg)`),
    `<style>@font-face { src: url(${far}) } body { background: url(${far}) }</style>`,
    `<meta http-equiv="refresh" content="0; url=${far}">`,
    '`#read("/etc/passwd")` #read("/etc/passwd") #import "@preview/cetz:0.3.0"',
  ].join('\n\n')

  const files = {
    'README.md': text,
    ...Object.fromEntries(images.map((image, i) => [`${i}.svg`, image])),
  }

  try {
    const seen = await printing(files, ({ text }) =>
      must(!text.includes('root:'), 'a file of the machine'),
    )(stage)
    must(asked === 0, 'somebody was asked')
    return seen
  } finally {
    listener.close()
  }
}

/** A PNG of a few kilobytes in an SVG, which takes more than a gigabyte when decoded. */
const hiddenBomb = () =>
  svg(
    `<image href="data:image/png;base64,${png(20_000, 20_000).toString('base64')}" width="9" height="9"/>`,
  )

const bomb = (levels: number) =>
  svg(
    `<defs><g id="a0"><rect width="5" height="5"/></g>${Array.from({ length: levels }, (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(8)}</g>`).join('')}</defs><use href="#a${levels}"/>`,
  )

const entities = `<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">${Array.from('bcdefghi', (name, i) => `<!ENTITY ${name} "${`&${'abcdefgh'[i]};`.repeat(10)}">`).join('')}]>${svg('<text>&i;</text>')}`

const manyPages = () => {
  const files: Record<string, string> = page('# Shown\n')
  for (let i = 0; i < 5_000; i++) files[`page-${i}.md`] = `# Page ${i}\n`
  return files
}

const manyImages = () => {
  const files: Record<string, string | Buffer> = {}
  for (let i = 0; i < 40; i++) files[`${i}.png`] = png(5_000, 4_960 + i)
  return {
    ...files,
    'README.md': `# Shown\n\n${Object.keys(files)
      .map(name => `![left out](${name})`)
      .join('\n\n')}`,
  }
}

const links = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'file:///bin/sh',
  'vbscript:x',
  'launch:x',
  'https://ok.example/',
]

/** Content that is hostile to the PDF export. */
export const pdfLines: Line[] = [
  line(
    'K1',
    'images, styles, frames and SVGs that refer to other hosts or local files',
    200,
    /Shown/,
    asking,
  ),
  line(
    'K1',
    'Typst in titles, text and code',
    200,
    'it is text',
    printing(
      {
        ...page(
          '# Shown #read("/etc/passwd")\n\n"); #panic("x"); ("\n\n```typ\n#read("/etc/passwd")\n```\n\n`#image("main.typ")`\n',
        ),
      },
      ({ text }) =>
        must(text.includes('#panic("x")') && !text.includes('root:'), 'it is not there as text'),
    ),
  ),
  line('K2', '5,000 pages', 413, /at most 500/, printing(manyPages()), { slow: true }),
  line(
    'K2',
    '40 images of 25 million pixels',
    200,
    'some are left out',
    async stage =>
      printing(manyImages(), ({ text }) => must(/too large/.test(text), 'nothing is said'))(stage),
    { slow: true },
  ),
  line('K2', 'an image of 400 million pixels in 1 MB', 200, 'it is left out', async stage =>
    printing(drawn(png(20_000, 20_000), 'a.png'), shown)(stage),
  ),
  line(
    'K2',
    'images of 25 million pixels within an SVG',
    '200|413',
    'the server holds it out',
    async stage => printing(drawn(hiddenBomb()))(stage),
    { slow: true },
  ),
  line('K2', 'an SVG of 8^12 rectangles', '200|413', 'it is left out', printing(drawn(bomb(12)))),
  line(
    'K2',
    'an SVG with a billion letters in entities',
    200,
    'it is left out',
    printing(drawn(entities), shown),
  ),
  line(
    'K2',
    'an SVG a hundred kilometres wide',
    200,
    /Shown/,
    printing(drawn(svg('<rect width="5" height="5"/>', 1e9))),
  ),
  line(
    'K2',
    '10,000 nested quotes',
    200,
    'it is set',
    printing(page(`# Shown\n\n${'> '.repeat(10_000)}deep\n`), shown),
  ),
  line(
    'K2',
    'a table of 200,000 cells',
    '200|413|503',
    'it is set or given up',
    printing(page(`# Shown\n\n|a|b|\n|-|-|\n${'|x|y|\n'.repeat(100_000)}`)),
    { slow: true },
  ),
  line(
    'K3',
    'the PDF of a foreign space',
    404,
    /no space/,
    call('GET /v1/spaces/{space}/pdf', undefined, { as: 'stranger' }),
  ),
  line(
    'K3',
    'a guessed address',
    404,
    /no PDF at this address/,
    call(
      `GET /pdf/{space}/${'0'.repeat(40)}/a.pdf?user=admin&expires=99999999999&signature=${'a'.repeat(22)}`,
    ),
  ),
  line(
    'K3',
    'an address with every parameter twice',
    404,
    /no PDF at this address/,
    call(
      `GET /pdf/{space}/${'0'.repeat(40)}/a.pdf?user=a&user=b&expires=1&expires=2&signature=a&signature=b`,
    ),
  ),
  line(
    'K4',
    'links that would start a program',
    200,
    'the web alone is linked',
    printing(
      page(
        `# Shown\n\n${links.map(link => `[a link](<${link}>) <a href="${link}">another</a>`).join('\n\n')}\n`,
      ),
      ({ pdf }) =>
        must(
          urlsOfPdf(pdf).every(url => url.startsWith('https://ok.example')),
          `links to ${urlsOfPdf(pdf)}`,
        ),
    ),
  ),
]
