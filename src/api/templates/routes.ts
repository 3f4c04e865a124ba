import { routes } from '../../http/endpoint.ts'

export const templatesRoutes = routes({})
