import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

let issuer: Promise<string> | undefined

/** Returns an issuer on this machine that only publishes its settings. It ends with the process. */
export function quietIssuer(): Promise<string> {
  issuer ??= new Promise(resolve => {
    const server = createServer((_, response) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const settings = {
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ ...settings, jwks_uri: `${url}/jwks` }))
    })
    server.listen(0, '127.0.0.1', () => {
      server.unref()
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    })
  })
  return issuer
}
