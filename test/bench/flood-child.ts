import autocannon from 'autocannon'
import type { Flood, Flooded } from './flood.ts'

/** No response head is longer than this. */
const mostHead = 2_500

async function flood({
  url,
  headers,
  connections,
  seconds,
  status,
  length,
}: Flood): Promise<number> {
  const result = await autocannon({ url, headers, connections, duration: seconds })
  const { requests, errors, timeouts, throughput, statusCodeStats } = result
  const statuses = Object.keys(statusCodeStats).join(', ')
  if (errors + timeouts > 0) throw new Error(`${url}: ${errors} errors, ${timeouts} timeouts`)
  if (statuses !== String(status)) throw new Error(`${url} answered ${statuses}, not ${status}`)

  // A response in flight at the end counts in bytes, but not as a response.
  const least = requests.total * length
  const most = (requests.total + connections) * (length + mostHead)

  if (throughput.total < least || throughput.total > most)
    throw new Error(
      `${url}: ${throughput.total} bytes for ${requests.total} answers of ${length} bytes`,
    )

  return requests.total / result.duration
}

process.on('message', (order: Flood) => {
  const tell = (answer: Flooded) => process.send?.(answer)
  flood(order).then(
    rate => tell({ rate }),
    (error: Error) => tell({ error: error.message }),
  )
})
process.on('disconnect', () => process.exit())
