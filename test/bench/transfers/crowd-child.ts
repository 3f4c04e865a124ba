import { ask } from './asking.ts'
import type { Asked, CrowdOrder } from './crowd.ts'

process.on('message', ({ url, path, body, users }: CrowdOrder) => {
  const tell = (answer: Asked) => process.send?.(answer)
  const message = Buffer.from(body, 'base64')
  Promise.all(users.map(headers => ask({ url, headers }, path, message))).then(
    answers => tell({ firstMs: answers.map(({ firstMs }) => firstMs) }),
    (error: Error) => tell({ error: error.message }),
  )
})
process.on('disconnect', () => process.exit())
