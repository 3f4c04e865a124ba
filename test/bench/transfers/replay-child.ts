import { createServer } from 'node:http'

/** The answers that the server sends, by the method of the request; bodies in base64. */
export type Replayed = Record<string, { type: string; body: string }>

const answers: Replayed = JSON.parse(process.argv[2] ?? '{}')
const server = createServer((req, res) => {
  const { type = '', body = '' } = answers[req.method ?? ''] ?? {}
  const bytes = Buffer.from(body, 'base64')
  req
    .resume()
    .on('end', () =>
      res.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes),
    )
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
process.on('disconnect', () => process.exit())
