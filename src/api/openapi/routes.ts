import { routes } from '../../http/endpoint.ts'

export const openapiRoutes = routes({})
