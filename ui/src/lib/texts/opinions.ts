// Requirements of the authors, and second opinions on findings.
import { count, dollars, plural } from '../text/format';

export const opinionsTexts = {
  // Requirements of the authors
  requirements: {
    title: 'Requirements of the authors',
    short: 'Requirements',
    open: 'Show the requirements and their evidence in the summary',
    verdict: { met: 'Met:', contradicted: 'Contradicted:', not_found: 'Not found:' },
    count: (requirements: number, verdict: 'met' | 'contradicted' | 'not_found') =>
      `${requirements} ${{ met: 'met', contradicted: 'contradicted', not_found: 'not found' }[verdict]}`,
    unproven: (quotes: number) =>
      `${plural(quotes, 'quote')} of the agent ${quotes === 1 ? 'is' : 'are'} not in the code.`,
  },

  // Second opinion
  opinion: {
    title: 'Second opinion',
    verdict: { holds: 'Holds', refuted: 'Refuted', unsure: 'Unsure' },
    meaning: {
      holds: 'Second opinion: the code shows what the finding says.',
      refuted: 'Second opinion: the code shows that it does not happen.',
      unsure: 'Second opinion: the code that was seen does not decide it.',
    },
    only: (verdict: string) => `Show only findings whose second opinion is: ${verdict}`,
    by: (agent: string, remembered: boolean) =>
      `${agent}${remembered ? ', in an earlier review of the same code' : ''}`,
    unproven: (verdict: string) => `The agent answered “${verdict}”, but its quotes are not in the code.`,
    before: (verdict: string) => `The opinion before was “${verdict}”.`,
    ask: 'Second opinion',
    sheet: (findings: number) => `Second opinion on ${plural(findings, 'finding')}`,
    sends: (agent: string, model: string | null, tokens: number, cost: number | null) =>
      `${agent}${model ? `, ${model}` : ''} gets this text, with secrets masked: ${count(tokens)} tokens${
        cost === null ? '' : `, about ${dollars(cost)}`
      }.`,
    prompts: (prompts: number) => `It is sent in ${plural(prompts, 'prompt')}.`,
    leftOut: (findings: number) => `${plural(findings, 'finding')} over the limits will get no opinion.`,
    preparing: 'Preparing the prompt…',
    nothingSent: 'Nothing has been sent.',
    asking: (agent: string) => `${agent} is answering…`,
    send: 'Send',
    none: 'The agent gave no opinion on some of the findings.',
    failed: 'There is no second opinion',
    facts: (holds: number, refuted: number, unsure: number) =>
      `${holds} hold, ${refuted} refuted, ${unsure} unsure`,
    unanswered: (findings: number) => `no opinion on ${plural(findings, 'finding')}`,
  },
};
