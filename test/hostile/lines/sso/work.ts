import { answerTo } from '../../../support/sso/browser.ts'
import { keyPair } from '../../../support/sso/certificates.ts'
import { costing } from '../../cost.ts'
import { type Line, line } from '../../line.ts'
import { begin, deliver, signsNobodyIn } from './tools.ts'

const list = (from: number, part: (at: number) => string): string =>
  Array.from({ length: from }, (_, at) => part(at)).join('')

/** Content of an assertion that makes XML libraries work, at the limits of size. */
const contents: [input: string, status: string, content: string][] = [
  ['19,600 elements side by side', '400', '<a/>'.repeat(19_600)],
  ['200 elements side by side in two others', '403', `<b>${'<a/>'.repeat(190)}</b>`.repeat(2)],
  [
    '90 namespaces, each of 2 kB',
    '403',
    list(90, at => `<a xmlns:n${at}="${'u'.repeat(2_000)}"/>`),
  ],
  [
    '90 namespaces and 12,000 elements',
    '400',
    `${list(90, at => `<a xmlns:n${at}="u"/>`)}${'<a/>'.repeat(12_000)}`,
  ],
  ['20,000 comments', '400', '<!--x-->'.repeat(20_000)],
  ['20,000 attributes', '403', `<a ${list(20_000, at => `a${at}="" `)}/>`],
  ['55 levels', '403', '<a>'.repeat(55) + '</a>'.repeat(55)],
  ['10,000 CDATA sections', '400', '<![CDATA[x]]>'.repeat(10_000)],
  ['30,000 references in text', '403', '&amp;'.repeat(30_000)],
  ['190 elements with an ID', '403', list(190, at => `<a ID="i${at}"/>`)],
]

/**
 * The same server does other things meanwhile: the limit is a multiple of the few milliseconds that
 * a forger may cost.
 */
const mostMs = 100

export const workLines: Line[] = contents.map(([input, status, content]) =>
  line(
    'SS19',
    `a response with the signature of another key over ${input}`,
    status,
    'it costs no more than 100 ms of CPU',
    signsNobodyIn(async stage => {
      const begun = await begin(stage)
      const forged = answerTo(begun, begun.provider, {}, 'assertion', { pair: keyPair('evil') })
      const xml = Buffer.from(forged, 'base64')
        .toString()
        .replace('</saml:Conditions>', `</saml:Conditions><saml:Advice>${content}</saml:Advice>`)
      return costing(mostMs, () => deliver(begun, Buffer.from(xml).toString('base64')))(stage)
    }),
  ),
)
