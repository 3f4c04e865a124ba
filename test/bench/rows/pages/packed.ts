import { startExpress } from '../../bare-express.ts'
import { type Figure, interleave, type Pace } from '../../figure.ts'
import { type Flooder, openFlooder } from '../../flood.ts'
import { importSpaces } from '../../space.ts'
import { type Stemma, withStemma } from '../../stemma.ts'

const connections = 32
const encoded = { 'accept-encoding': 'gzip, deflate, br' }

/** Large answers of the API as clients get them that take brotli: the list of pages and the document of the API. */
export const packedRow = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [{ pages: 350, bytes: 4_000, commits: 1 }])
    const pages = `the list of ${space!.pages.length} pages`
    const flooder = openFlooder()

    try {
      return [
        ...(await rates(stemma, flooder, pace, pages, `${space!.path}/content/pages`)),
        ...(await rates(stemma, flooder, pace, 'openapi.json', '/v1/openapi.json')),
      ]
    } finally {
      flooder.close()
    }
  })

async function rates(
  stemma: Stemma,
  flooder: Flooder,
  { rounds, seconds }: Pace,
  name: string,
  path: string,
): Promise<Figure[]> {
  const plain = await stemma.caller.call('GET', path)
  const { bytes } = await stemma.caller.call('GET', path, { headers: encoded })
  const express = await startExpress(bytes)
  const headers = { ...stemma.headers, ...encoded }
  const load = { connections, seconds, headers, status: 200, length: bytes.length }
  const works = {
    subject: () => flooder.flood({ ...load, url: stemma.url + path }),
    reference: () => flooder.flood({ ...load, url: express.url }),
  }

  try {
    for (const work of Object.values(works)) await work()
    const { subject, reference } = await interleave(rounds, works)
    return [
      {
        work: `${name} with brotli, ${connections} connections`,
        value: subject,
        unit: 'requests/s',
        reference: { what: 'bare Express, the same bytes', value: reference },
        target: { of: 'ratio', is: 'at least', value: 0.7 },
      },
      {
        work: `its bytes`,
        value: bytes.length,
        unit: 'bytes',
        reference: { what: 'not encoded', value: plain.bytes.length },
        target: { of: 'ratio', is: 'under', value: 0.25 },
      },
    ]
  } finally {
    express.close()
  }
}
