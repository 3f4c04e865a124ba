import { type BareExpress, startExpress, startHttp } from '../bare-express.ts'
import { type Figure, interleave, type Pace } from '../figure.ts'
import { type Flooder, openFlooder } from '../flood.ts'
import type { Stemma } from '../stemma.ts'

const connections = 32

const browser = { accept: 'text/html,*/*;q=0.8', 'accept-encoding': 'gzip, deflate, br' }

type Load = { stemma: Stemma; path: string; pace: Pace; flooder: Flooder }

/** Requests for a page that is kept, for readers who do not have it yet and for those who have it. */
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

async function whole(load: Load, length: number, [express, http]: BareExpress[]): Promise<Figure[]> {
  const { stemma, path, pace, flooder } = load
  const flood = (url: string) => () =>
    flooder.flood({ connections, seconds: pace.seconds, status: 200, length, url, headers: browser })
  const works = { subject: flood(stemma.url + path), express: flood(express!.url), http: flood(http!.url) }
  for (const work of Object.values(works)) await work()
  const rates = await interleave(pace.rounds, works)
  const work = `a kept page of a site, ${(length / 1000).toFixed(1)} kB of brotli, ${connections} connections`
  return [
    {
      work,
      value: rates.subject,
      unit: 'requests/s',
      reference: { what: 'bare Express, the same bytes', value: rates.express },
      target: { of: 'ratio', is: 'at least', value: 1.2 },
    },
    {
      work: 'the same',
      value: rates.subject,
      unit: 'requests/s',
      reference: { what: 'bare node:http, the same bytes', value: rates.http },
    },
  ]
}

/** The same page for a client that takes gzip alone. */
async function zipped({ stemma, path, pace, flooder }: Load): Promise<Figure> {
  const headers = { ...browser, 'accept-encoding': 'gzip' }
  const { bytes } = await stemma.caller.call('GET', path, { headers })
  const express = await startExpress(bytes)
  const flood = (url: string) => () =>
    flooder.flood({
      connections,
      seconds: pace.seconds,
      status: 200,
      length: bytes.length,
      url,
      headers,
    })
  try {
    const works = { subject: flood(stemma.url + path), express: flood(express.url) }
    for (const work of Object.values(works)) await work()
    const rates = await interleave(pace.rounds, works)
    return {
      work: 'the same with gzip',
      value: rates.subject,
      unit: 'requests/s',
      reference: { what: 'bare Express, the same bytes', value: rates.express },
      target: { of: 'ratio', is: 'at least', value: 1.2 },
    }
  } finally {
    express.close()
  }
}

async function unchanged(
  { stemma, path, pace, flooder }: Load,
  etag: string,
  express: BareExpress,
): Promise<Figure> {
  const headers = { ...browser, 'if-none-match': etag }
  const flood = (url: string) => () =>
    flooder.flood({ connections, seconds: pace.seconds, status: 304, length: 0, url, headers })
  const works = { subject: flood(stemma.url + path), express: flood(express.url) }
  for (const work of Object.values(works)) await work()
  const rates = await interleave(pace.rounds, works)
  return {
    work: 'the same with `If-None-Match`',
    value: rates.subject,
    unit: 'requests/s',
    reference: { what: 'bare Express answering 304', value: rates.express },
    target: { of: 'ratio', is: 'at least', value: 2 },
  }
}
