import { routes } from '../../http/endpoint.ts'

export const linksRoutes = routes({})
