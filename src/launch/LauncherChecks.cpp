// SPDX-License-Identifier: Apache-2.0
#include "launch/LauncherChecks.hpp"

namespace kp::launch {

void requireKnownParameters(const std::string& launcher, const Parameters& given,
                            const std::vector<ParameterInfo>& known) {
    for (const Parameter& parameter : given) {
        if (findNamed(known, parameter.name))
            continue;
        std::vector<std::string> names;
        for (const ParameterInfo& info : known)
            names.push_back(info.name);
        throwFor(launcher, "parameter '{}' is unknown; it takes {}", parameter.name,
                 names.empty() ? "none" : join(names));
    }
}

const std::shared_ptr<Queue>& queueFor(const Launcher& launcher, const LaunchOptions& options,
                                       const std::shared_ptr<Queue>& defaultQueue) {
    const std::shared_ptr<Queue>& queue = options.queue ? options.queue : defaultQueue;
    if (!queue)
        throwFor(launcher.name(),
                 "no queue was given with the call, and there is no default queue");
    if (!options.parameters.empty())
        requireKnownParameters(launcher.name(), options.parameters, launcher.parameters());
    return queue;
}

} // namespace kp::launch
