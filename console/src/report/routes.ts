import { createElement } from 'react';
import type { RouteDef } from '~/frame/registry';
import { REPORT_NAMES, REPORTS, type ReportName } from './names';

const load = (report: ReportName) => async () => {
  const { ReportPage } = await import('./ReportPage');
  return { default: () => createElement(ReportPage, { report }) };
};

export const routes: RouteDef[] = [
  {
    path: '/b/:bookId/reports',
    title: 'Reports',
    load: () => import('./ReportsPage'),
    nav: { icon: 'report', order: 40 },
  },
  ...REPORT_NAMES.map((name, index): RouteDef => {
    const { title, shortcut, hasQuery } = REPORTS[name];
    return {
      path: `/b/:bookId/reports/${name}`,
      title,
      load: load(name),
      header: hasQuery ? ['period', 'query'] : ['period'],
      nav: { icon: 'report', order: 41 + index, isHidden: true, ...(shortcut ? { shortcut } : {}) },
    };
  }),
];
