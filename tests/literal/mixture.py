"""EM for mixtures of products of histograms, record by record, and the posterior it draws from."""

from math import log, prod

import numpy as np


def chances(record, channels, weights, histograms):
    """P[component and released record]: one number a component."""
    return [
        weights[k]
        * prod(channels[j][s] @ histograms[k][j] for j, s in enumerate(record))
        for k in range(len(weights))
    ]  # fmt: skip


def expected(records, channels, weights, histograms):
    """The expected number of records in each component and of their cells, and the likelihood."""
    sizes = [0.0] * len(weights)
    cells = [[np.zeros(len(channel)) for channel in channels] for _ in weights]
    height = 0.0
    for record in records:
        of = chances(record, channels, weights, histograms)
        height += log(sum(of))
        for k, chance in enumerate(of):
            share = chance / sum(of)
            sizes[k] += share
            for j, s in enumerate(record):
                cells[k][j][s] += share
    return np.array(sizes), cells, height


def taken_back(cells, channel, histogram):
    """One step of Bayes' rule for one histogram: cells that no one is in count nothing."""
    after = np.zeros(len(histogram))
    for s, count in enumerate(cells):
        if count > 0:
            posterior = channel[s] * histogram
            after += count * posterior / posterior.sum()
    return after / after.sum()


def literal_fit(records, channels, weights, histograms, n_passes, batch_size, online):
    """Return weights, histograms[component][attribute] and the mean log-likelihoods."""
    weights, histograms = np.array(weights), [list(h) for h in histograms]
    components = range(len(weights))
    heights, t = [], 0
    running_sizes = weights
    running = [[w * (c @ h) for c, h in zip(channels, component, strict=True)]
               for w, component in zip(weights, histograms, strict=True)]  # fmt: skip
    for _ in range(n_passes):
        height = 0.0
        size = batch_size if online else len(records)
        for first in range(0, len(records), size):
            batch = records[first : first + size]
            sizes, cells, found = expected(batch, channels, weights, histograms)
            height += found
            part = (t + 2) ** -0.6 if online else 1.0
            running_sizes = (1 - part) * running_sizes + part * sizes / len(batch)
            for k in components:
                for j, channel in enumerate(channels):
                    running[k][j] = (1 - part) * running[k][j] + part * cells[k][j] / len(batch)
                    histograms[k][j] = taken_back(running[k][j], channel, histograms[k][j])
            weights = running_sizes / running_sizes.sum()
            t += 1
        heights.append(height / len(records))
    return weights, histograms, heights


def literal_posterior(record, channels, weights, histograms):
    """P[clean intervals | released record] of all attributes together, as a table."""
    of = chances(record, channels, weights, histograms)
    table = 0.0
    for k, chance in enumerate(of):
        own = np.array(chance / sum(of))
        for j, s in enumerate(record):
            posterior = channels[j][s] * histograms[k][j]
            own = np.multiply.outer(own, posterior / posterior.sum())
        table = table + own
    return table
