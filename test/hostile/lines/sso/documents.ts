import { deflateRawSync } from 'node:zlib'
import { type Line, line } from '../../line.ts'
import { begin, deliver, signsNobodyIn } from './tools.ts'

const inResponse = (content: string, id: string) =>
  `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Version="2.0" InResponseTo="${id}">${content}</samlp:Response>`

/** Returns the declarations of entities of which each contains the one before ten times. */
const bomb = [...Array(9).keys()].map(n => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('')

type Document = (id: string) => string | Buffer

const documents: [input: string, status: string, make: Document][] = [
  ['a DOCTYPE', '400', id => `<!DOCTYPE Response>${inResponse('', id)}`],
  [
    'an external entity',
    '400',
    id => `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${inResponse('&x;', id)}`,
  ],
  [
    'entities that grow to 10 GB',
    '400',
    id => `<!DOCTYPE r [<!ENTITY e0 "0123456789">${bomb}]>${inResponse('&e9;', id)}`,
  ],
  ['an undeclared entity', '400', id => inResponse('&x;', id)],
  ['a stylesheet', '400', id => `<?xml-stylesheet href="x"?>${inResponse('', id)}`],
  ['text in UTF-16', '400', id => Buffer.from(`\uFEFF${inResponse('', id)}`, 'utf16le')],
  ['60,000 elements', '400', id => inResponse('<a/>'.repeat(60_000), id)],
  ['10,000 levels', '400', id => inResponse('<a>'.repeat(10_000) + '</a>'.repeat(10_000), id)],
  ['deflated text', '400', id => deflateRawSync(inResponse('', id))],
  ['300 KB', '400', id => inResponse('x'.repeat(300_000), id)],
  ['10 MB', '413', id => inResponse('x'.repeat(10_000_000), id)],
  ['nothing', '400', () => ''],
]

export const documentLines: Line[] = documents.map(([input, status, make]) =>
  line(
    'SS3',
    `a response with ${input}`,
    status,
    'nobody is signed in',
    signsNobodyIn(async stage => {
      const begun = await begin(stage)
      return deliver(begun, Buffer.from(make(begun.requestId)).toString('base64'))
    }),
  ),
)
