import { routes } from '../../http/endpoint.ts'
import { applyTemplateToSpace, listTemplates } from './endpoints.ts'

export const templatesRoutes = routes({
  'GET /templates': listTemplates,
  'POST /spaces/:spaceId/content/template': applyTemplateToSpace,
})
