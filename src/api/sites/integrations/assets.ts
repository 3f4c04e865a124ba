import type { Express } from 'express'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import { notModified } from '../../../http/conditional.ts'
import { findAsset } from '../../../store/integrations/assets.ts'
import { findIntegration } from '../../../store/integrations/integrations.ts'

/** Serves the images of integrations at the addresses that answers contain, without a token. */
export function serveAssets(app: Express, ctx: Context): void {
  app.get('/integrations/:integrationName/assets/:asset', (req, res) => {
    const { integrationName, asset } = req.params
    const [, name = '', digest = ''] = /^([A-Za-z0-9-]{1,100})-([0-9a-f]{16})$/.exec(asset) ?? []
    const integration = findIntegration(ctx.store, integrationName)
    const found = integration && findAsset(ctx.store, integration.id, name)
    if (!found?.digest.startsWith(digest) || digest === '') throw missing('image', asset)
    res.set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      ETag: `"${found.digest}"`,
    })

    if (notModified(req.headers['if-none-match'], found.digest)) {
      res.status(304).end()
      return
    }

    res.type(found.type).send(found.bytes)
  })
}
