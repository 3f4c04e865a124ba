import { startExpress } from '../../bare-express.ts'
import { type Figure, interleave, type Pace } from '../../figure.ts'
import { openFlooder } from '../../flood.ts'
import { importSpaces } from '../../space.ts'
import { withStemma } from '../../stemma.ts'

const connections = 32

/** The pages of a space, warm: the full list, and for clients with a matching ETag. */
export const pageList = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [{ pages: 1_070, bytes: 4_000, commits: 1 }])
    const path = `${space!.path}/content/pages`
    const { bytes, headers } = await stemma.caller.call('GET', path)
    const etag = String(headers.etag)
    const express = await startExpress(bytes, etag)
    const flooder = openFlooder()
    const having = { 'if-none-match': etag }
    const load = (url: string, has: object, seconds: number) => {
      const known = has === having
      const answer = known ? { status: 304, length: 0 } : { status: 200, length: bytes.length }
      return flooder.flood({
        url,
        connections,
        seconds,
        ...answer,
        headers: { ...stemma.headers, ...has },
      })
    }

    try {
      await stemma.caller.call('GET', path, { headers: having, status: 304 })
      const url = stemma.url + path
      for (const has of [{}, having])
        for (const each of [url, express.url]) await load(each, has, 0.7)
      const whole = await interleave(pace.rounds, {
        subject: () => load(url, {}, pace.seconds),
        reference: () => load(express.url, {}, pace.seconds),
      })

      const known = await interleave(pace.rounds, {
        subject: () => load(url, having, pace.seconds),
        reference: () => load(express.url, having, pace.seconds),
      })
      const work = `the list of ${space!.pages.length} pages, warm, ${connections} connections`

      return [
        {
          work: `${work}, ${(bytes.length / 1000).toFixed(0)} kB`,
          value: whole.subject,
          unit: 'requests/s',
          reference: { what: 'bare Express, the same bytes', value: whole.reference },
          target: { of: 'ratio', is: 'at least', value: 0.5 },
        },
        {
          work: `${work}, If-None-Match`,
          value: known.subject,
          unit: 'requests/s',
          reference: { what: 'bare Express answering 304', value: known.reference },
          target: { of: 'ratio', is: 'at least', value: 0.8 },
        },
      ]
    } finally {
      flooder.close()
      express.close()
    }
  })
