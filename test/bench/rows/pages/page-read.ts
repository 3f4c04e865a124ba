import { startExpress } from '../../bare-express.ts'
import { type Figure, interleave, type Pace, typical } from '../../figure.ts'
import { openFlooder } from '../../flood.ts'
import { importSpaces } from '../../space.ts'
import { withStemma } from '../../stemma.ts'

const connections = 32

/** One page, warm, for many concurrent clients and for a single one. */
export const pageRead = (pace: Pace): Promise<Figure[]> =>
  withStemma(async stemma => {
    const [space] = await importSpaces(stemma, [{ pages: 100, bytes: 8_000, commits: 1 }])
    const { id } = space!.pages[42]!
    const path = `${space!.path}/content/page/${id}`
    const { bytes } = await stemma.caller.call('GET', path)
    const express = await startExpress(bytes)
    const flooder = openFlooder()

    try {
      const load = { connections, status: 200, length: bytes.length, headers: stemma.headers }
      const subject = (seconds: number) =>
        flooder.flood({ ...load, url: stemma.url + path, seconds })
      const reference = (seconds: number) => flooder.flood({ ...load, url: express.url, seconds })
      await subject(1)
      await reference(1)
      const rates = await interleave(pace.rounds, {
        subject: () => subject(pace.seconds),
        reference: () => reference(pace.seconds),
      })
      const alone = () => typical(300, async () => (await stemma.caller.call('GET', path)).ms)
      const { ms } = await interleave(pace.rounds, { ms: alone })
      const after = await stemma.caller.call('GET', path)
      if (!after.bytes.equals(bytes)) throw new Error('The page changed during the load.')

      const work = `a page of ${(bytes.length / 1000).toFixed(1)} kB, warm`

      return [
        {
          work: `${work}, ${connections} connections`,
          value: rates.subject,
          unit: 'requests/s',
          reference: { what: 'bare Express, the same bytes', value: rates.reference },
          target: { of: 'ratio', is: 'at least', value: 0.7 },
        },
        {
          work: `${work}, one connection, p50`,
          value: ms,
          unit: 'ms',
          target: { of: 'figure', is: 'under', value: 2 },
        },
      ]
    } finally {
      flooder.close()
      express.close()
    }
  })
