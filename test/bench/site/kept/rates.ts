import { type BareExpress, startExpress, startHttp } from '../../bare-express.ts'
import { type Figure, interleave, type Pace } from '../../figure.ts'
import { type Flooder, openFlooder } from '../../flood.ts'
import type { Stemma } from '../../stemma.ts'

const connections = 32

const browser = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, deflate, br' }

type Load = { stemma: Stemma; path: string; pace: Pace; flooder: Flooder }

/**
 * Requests for a page that is kept, for readers who do not have it yet and for those who have it.
 */
export async function keptRates(stemma: Stemma, path: string, pace: Pace): Promise<Figure[]> {
  const { bytes, headers } = await stemma.caller.call('GET', path, { headers: browser })
  const flooder = openFlooder()
  const etag = String(headers.etag)
  const bare = [await startExpress(bytes), await startHttp(bytes), await startExpress(bytes, etag)]

  try {
    const load = { stemma, path, pace, flooder }
    return [
      ...(await whole(load, bytes.length, bare)),
      await zipped(load),
      await unchanged(load, etag, bare[2]!),
    ]
  } finally {
    flooder.close()
    for (const each of bare) each.close()
  }
}

type Expected = { headers: Record<string, string>; status: 200 | 304; length: number }

/** Returns the rates of a page and of bare servers that send the same answer. */
async function ratesOf<Name extends string>(
  { stemma, path, pace, flooder }: Load,
  expected: Expected,
  bare: Record<Name, BareExpress>,
): Promise<Record<Name | 'subject', number>> {
  const flood = (url: string) => () =>
    flooder.flood({ connections, seconds: pace.seconds, url, ...expected })
  const urls = Object.entries<BareExpress>(bare).map(([name, { url }]) => [name, url] as const)
  const named = [['subject', stemma.url + path] as const, ...urls].map(([name, url]) => [
    name,
    flood(url),
  ])
  const works = Object.fromEntries(named) as Record<Name | 'subject', () => Promise<number>>

  for (const work of Object.values<() => Promise<number>>(works)) await work()

  return interleave(pace.rounds, works)
}

const figure = (
  work: string,
  value: number,
  what: string,
  reference: number,
  atLeast?: number,
): Figure => ({
  work,
  value,
  unit: 'requests/s',
  reference: { what, value: reference },
  ...(atLeast !== undefined && { target: { of: 'ratio', is: 'at least', value: atLeast } }),
})

async function whole(
  load: Load,
  length: number,
  [express, http]: BareExpress[],
): Promise<Figure[]> {
  const bare = { express: express!, http: http! }
  const rates = await ratesOf(load, { headers: browser, status: 200, length }, bare)
  const work = `a kept page of a site, ${(length / 1000).toFixed(1)} kB of brotli, ${connections} connections`
  return [
    figure(work, rates.subject, 'bare Express, the same bytes', rates.express, 1.2),
    figure('the same', rates.subject, 'bare node:http, the same bytes', rates.http),
  ]
}

/** The same page for a client that takes gzip alone. */
async function zipped(load: Load): Promise<Figure> {
  const headers = { ...browser, 'accept-encoding': 'gzip' }
  const { bytes } = await load.stemma.caller.call('GET', load.path, { headers })
  const express = await startExpress(bytes)

  try {
    const rates = await ratesOf(load, { headers, status: 200, length: bytes.length }, { express })
    return figure(
      'the same with gzip',
      rates.subject,
      'bare Express, the same bytes',
      rates.express,
      1.2,
    )
  } finally {
    express.close()
  }
}

async function unchanged(load: Load, etag: string, express: BareExpress): Promise<Figure> {
  const headers = { ...browser, 'if-none-match': etag }
  const rates = await ratesOf(load, { headers, status: 304, length: 0 }, { express })
  const work = 'the same with `If-None-Match`'
  return figure(work, rates.subject, 'bare Express answering 304', rates.express, 2)
}
